import Foundation
import Testing
import VitrineSupport
import VitrineTestSupport

@testable import VitrineCatalog
@testable import VitrineCatalogLoading

@Suite(.hangLimit) struct CatalogKeysTests {
    private static let key = SigningKey.sample(2).publicKey
    private static let entry =
        "<dict><key>publicKey</key><string>\(key.line)</string><key>expires</key><date>2027-02-01T00:00:00Z</date></dict>"

    @Test func `a keys file is read back as it was written`() throws {
        let keys = CatalogKeys(
            keys: [2, 3].map {
                CatalogKeys.Key(
                    publicKey: SigningKey.sample($0).publicKey, expires: Date(timeIntervalSince1970: 1_800_000_000))
            }, revoked: ["4F68C5A0CC4A2350"], epoch: 3)

        #expect(try CatalogKeys(keys.file) == keys)
    }

    @Test func `a keys file requires only the array of keys`() throws {
        let keys = try CatalogKeys(Data(PlistText.document("<dict><key>keys</key><array/></dict>").utf8))

        #expect(keys == CatalogKeys(keys: [], revoked: [], epoch: 1))
    }

    struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let body: String
        let reason: String
    }

    @Test(arguments: [
        Case(
            testDescription: "an array", body: "<array/>",
            reason: "4:1: this value must be a dictionary with the keys keys, revoked, epoch"
        ),
        Case(testDescription: "no keys", body: "<dict/>", reason: "the array \"keys\" is missing"),
        Case(
            testDescription: "keys that are none", body: "<dict><key>keys</key><string/></dict>",
            reason: "the array \"keys\" is missing"),
        Case(
            testDescription: "keys twice", body: "<dict><key>keys</key><array/><key>keys</key><array/></dict>",
            reason: "4:30: the dictionary key \"keys\" is repeated"),
        Case(
            testDescription: "a misspelled key", body: "<dict><key>keys</key><array/><key>revokd</key><array/></dict>",
            reason: "4:30: the dictionary key \"revokd\" is not one of keys, revoked, epoch"),
        Case(
            testDescription: "a key without a date",
            body:
                "<dict><key>keys</key><array><dict><key>publicKey</key><string>\(key.line)</string></dict></array></dict>",
            reason: "4:29: a signing key must have publicKey, a string, and expires, a date"),
        Case(
            testDescription: "a key that is none",
            body: "<dict><key>keys</key><array>\(entry.replacing(key.line, with: "RW"))</array></dict>",
            reason: "4:29: the text is not a minisign public key, a line of 56 characters that begins with RW"),
        Case(
            testDescription: "a key with a name of its own",
            body:
                "<dict><key>keys</key><array>\(entry.replacing("</dict>", with: "<key>name</key><string/></dict>"))</array></dict>",
            reason: "4:179: the dictionary key \"name\" is not one of publicKey, expires"),
        Case(
            testDescription: "two keys with one identifier",
            body: "<dict><key>keys</key><array>\(entry)\n\(entry)</array></dict>",
            reason: "5:1: the signing key \(key.identifierText) is listed twice"),
        Case(
            testDescription: "an identifier that is too short",
            body: "<dict><key>keys</key><array/><key>revoked</key><array><string>4F68</string></array></dict>",
            reason: "4:55: the identifier of a revoked key must have 16 digits of 0 to 9 and A to F"),
        Case(
            testDescription: "an identifier in small letters",
            body:
                "<dict><key>keys</key><array/><key>revoked</key><array><string>4f68c5a0cc4a2350</string></array></dict>",
            reason: "4:55: the identifier of a revoked key must have 16 digits of 0 to 9 and A to F"),
        Case(
            testDescription: "revoked that is no array",
            body: "<dict><key>keys</key><array/><key>revoked</key><string>4F68C5A0CC4A2350</string></dict>",
            reason: "4:48: revoked must be an array"),
        Case(
            testDescription: "epoch 0",
            body: "<dict><key>keys</key><array/><key>epoch</key><integer>0</integer></dict>",
            reason: "4:46: epoch must be an integer of at least 1"),
        Case(
            testDescription: "an epoch of more than 63 bits",
            body: "<dict><key>keys</key><array/><key>epoch</key><integer>9223372036854775808</integer></dict>",
            reason: "4:46: epoch must be an integer of at least 1"),
        Case(
            testDescription: "arrays inside each other",
            body: "<dict><key>keys</key><array><array><array/></array></array></dict>",
            reason: "4:36: arrays and dictionaries are nested more than 3 levels deep"),
    ]) func `a malformed keys file is refused with a reason`(test: Case) {
        #expect(throws: CatalogSignatureFailure(.malformed, test.reason)) {
            try CatalogKeys(Data(PlistText.document(test.body).utf8))
        }
    }

    @Test func `a keys file with two keys of the same identifier is refused`() {
        let other = MinisignPublicKey(identifier: Self.key.identifier, key: SigningKey.sample(3).publicKey.key)
        let keys = CatalogKeys(
            keys: [Self.key, other].map { .init(publicKey: $0, expires: Date(timeIntervalSince1970: 1_800_000_000)) },
            revoked: [], epoch: 1)

        #expect(throws: CatalogSignatureFailure.self) { try CatalogKeys(keys.file) }
    }

    @Test func `a keys file that is too large or is not a property list is refused`() {
        for file in [Data(), Data("{}".utf8), Data(repeating: 32, count: 64 * 1024 + 1)] {
            let failure = #expect(throws: CatalogSignatureFailure.self) { try CatalogKeys(file) }
            #expect(failure?.code == .malformed)
        }
    }
}
