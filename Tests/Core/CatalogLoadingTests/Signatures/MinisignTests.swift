import Foundation
import Testing
import VitrineTestSupport

@testable import VitrineCatalog
@testable import VitrineCatalogLoading

@Suite(.hangLimit) struct MinisignTests {
    static let key = SigningKey.sample(2)
    static let file = Data("signed".utf8)
    static func signature() throws -> String {
        String(decoding: try key.sign(file, trustedComment: "abc").file, as: UTF8.self)
    }

    struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        /// Function that changes the four lines of a valid signature.
        var lines: @Sendable (inout [String]) -> Void = { _ in }
        /// Function that changes the whole text of the signature.
        var text: @Sendable (String) -> String = { $0 }
        let reason: String
    }

    @Test(arguments: [
        Case(
            testDescription: "nothing", text: { _ in "" },
            reason: "a signature must have four lines, each ended by a line feed"),
        Case(
            testDescription: "no last line feed", text: { String($0.dropLast()) },
            reason: "a signature must have four lines, each ended by a line feed"),
        Case(
            testDescription: "a line more", text: { $0 + "\n" },
            reason: "a signature must have four lines, each ended by a line feed"),
        Case(
            testDescription: "carriage returns in some lines", lines: { $0[0] += "\r" },
            reason: "the first line of the signature is not an untrusted comment"),
        Case(
            testDescription: "another first line", lines: { $0[0] = "comment: x" },
            reason: "the first line of the signature is not an untrusted comment"),
        Case(
            testDescription: "an escape in the untrusted comment", lines: { $0[0] += "\u{1B}[2J" },
            reason: "the first line of the signature is not an untrusted comment"),
        Case(
            testDescription: "no base64", lines: { $0[1] = "!" },
            reason: "the second line of the signature is not 74 bytes in base64"),
        Case(
            testDescription: "base64 with a space", lines: { $0[1] = " \($0[1])" },
            reason: "the second line of the signature is not 74 bytes in base64"),
        Case(
            testDescription: "unused bits of base64 that are set",
            lines: { $0[1] = $0[1].dropLast(2) + "\(Self.sibling(of: $0[1].dropLast().last))=" },
            reason: "the second line of the signature is not 74 bytes in base64"),
        Case(
            testDescription: "a byte too few",
            lines: { $0[1] = Data(repeating: 69, count: 73).base64EncodedString() },
            reason: "the second line of the signature is not 74 bytes in base64"),
        Case(
            testDescription: "another algorithm",
            lines: { $0[1] = Data(repeating: 69, count: 74).base64EncodedString() },
            reason: "the signature uses an unknown algorithm"),
        Case(
            testDescription: "a third line without the mark", lines: { $0[2] = "trusted: abc" },
            reason: "the third line of the signature is not a trusted comment"),
        Case(
            testDescription: "a tabulator in the trusted comment", lines: { $0[2] += "\t" },
            reason: "the third line of the signature is not a trusted comment"),
        Case(
            testDescription: "a fourth line that is too short",
            lines: { $0[3] = Data(repeating: 1, count: 63).base64EncodedString() },
            reason: "the fourth line of the signature is not 64 bytes in base64"),
    ]) func `a malformed minisign signature is refused with a reason`(test: Case) throws {
        var lines = try Self.signature().split(separator: "\n").map(String.init)
        test.lines(&lines)
        let text = test.text(lines.joined(separator: "\n") + "\n")

        #expect(throws: CatalogSignatureFailure(.malformed, test.reason)) {
            try MinisignSignature(Data(text.utf8))
        }
    }

    /// Returns the base64 character that differs only in its last bit, which is unused here.
    private static func sibling(of character: Character?) -> Character {
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
        return alphabet.firstIndex { $0 == character }.map { alphabet[$0 ^ 1] } ?? "A"
    }

    @Test func `a minisign signature with a trusted comment that is not UTF-8 is refused`() throws {
        let text = try Self.signature().replacing("abc", with: "a~c")
        let data = Data(text.utf8.map { $0 == UInt8(ascii: "~") ? 0xFF : $0 })

        #expect(throws: CatalogSignatureFailure(.malformed, "the third line of the signature is not a trusted comment"))
        {
            try MinisignSignature(data)
        }
    }

    @Test func `a prehashed minisign signature is refused with advice on how to sign instead`() throws {
        var lines = try Self.signature().split(separator: "\n").map(String.init)
        var bytes = try #require(Data(base64Encoded: lines[1]))
        bytes[1] = UInt8(ascii: "D")
        lines[1] = bytes.base64EncodedString()

        #expect(
            throws: CatalogSignatureFailure(
                .prehashed,
                "the signature signs a hash of the file, minisign's prehashed form, which is not supported: "
                    + "sign it with minisign -S -l"
            )
        ) { try MinisignSignature(Data((lines.joined(separator: "\n") + "\n").utf8)) }
    }

    @Test func `a minisign signature is written, read back, and written again with the same bytes`() throws {
        let written = try Self.key.sign(Self.file, trustedComment: "Grüße, abc")
        let read = try MinisignSignature(written.file)

        #expect(read == written)
        #expect(read.file == written.file)
        #expect(throws: Never.self) { try read.check(Self.file, by: Self.key.publicKey) }
    }

    @Test func `signatures and keys are read with Windows line ends and a byte order mark`() throws {
        func changed(_ text: String) -> String { "\u{FEFF}" + text.replacing("\n", with: "\r\n") }
        let written = try Self.key.sign(Self.file, trustedComment: "abc")
        let read = try MinisignSignature(Data(changed(String(decoding: written.file, as: UTF8.self)).utf8))

        #expect(read == written)
        #expect(try MinisignPublicKey(changed(Self.key.publicKey.file)) == Self.key.publicKey)
        #expect(try MinisignPublicKey(changed("\(Self.key.publicKey.line)\n")) == Self.key.publicKey)
        #expect(try SigningKey(pem: changed(Self.key.pem)).publicKey == Self.key.publicKey)
    }

    @Test func `a minisign public key is read from its single-line form or its file form`() throws {
        let key = Self.key.publicKey

        #expect(try MinisignPublicKey(key.line) == key)
        #expect(try MinisignPublicKey("\(key.line)\n") == key)
        #expect(try MinisignPublicKey(key.file) == key)
        #expect(key.line.hasPrefix("RW"))
    }

    @Test(arguments: [
        "", "\n", "RW", key.publicKey.line + "A", String(key.publicKey.line.dropLast()), " \(key.publicKey.line)",
        "\(key.publicKey.line)\n\(key.publicKey.line)\n", "comment: x\n\(key.publicKey.line)\n",
        "untrusted comment: x\n\n\(key.publicKey.line)\n", String(repeating: "A", count: 56),
    ]) func `text that is not a minisign public key is refused`(text: String) {
        #expect(
            throws: CatalogSignatureFailure(
                .malformed, "the text is not a minisign public key, a line of 56 characters that begins with RW")
        ) { try MinisignPublicKey(text) }
    }

    @Test func `a key identifier is written in the same form as by minisign`() throws {
        let key = try MinisignPublicKey("RWRQI0rMoMVoTx11E7h1AxoOs4fE22ws6xSbRfa9yH6vyGq7seq5C1Ko")

        #expect(key.identifierText == "4F68C5A0CC4A2350")
    }
}
