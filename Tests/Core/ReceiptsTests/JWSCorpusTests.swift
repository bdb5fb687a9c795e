import Foundation
import SwiftASN1
import Testing
import VitrineSupport
import VitrineTestSupport
import X509

@testable import VitrineReceipts

/// Real tokens, and tokens from the tests of Apple's own libraries.
@Suite(.hangLimit, .enabled(if: Repository.corpus("jws") != nil, "the corpus is not here"))
struct JWSCorpusTests {
    private struct Vector: Sendable {
        var file: String
        var bundle = ""
        var environment = StoreEnvironment.sandbox
        var kind: SignedDocumentKind?
        var codes: [RejectionReason.Code] = []
        /// Expected codes at the current date; `nil` if they are the same.
        var codesToday: [RejectionReason.Code]?
        var app: Int64?
    }

    private static let vectors: [Vector] = [
        Vector(file: "apple-mock/testNotification", bundle: "com.example", kind: .notification, app: 1234),
        Vector(
            file: "apple-mock/testNotification", bundle: "com.example", environment: .production,
            codes: [.environment]),
        Vector(file: "apple-mock/testNotification", bundle: "com.example.x", codes: [.bundleIdentifier]),
        Vector(file: "apple-mock/missingX5CHeaderClaim", bundle: "com.example", codes: [.malformed]),
        Vector(file: "apple-mock/renewalInfo", bundle: "com.example"),
        Vector(file: "apple-mock/transactionInfo", bundle: "com.example"),
        Vector(file: "apple-mock/transactionInfo", bundle: "com.example.x", codes: [.bundleIdentifier]),
        Vector(
            file: "apple-xcode/xcode-signed-app-transaction", bundle: "com.example.naturelab.backyardbirds.example",
            environment: .xcode, kind: .appTransaction, codesToday: [.certificateValidity]),
        Vector(
            file: "apple-xcode/xcode-signed-app-transaction", bundle: "com.example.naturelab.backyardbirds.example",
            environment: .production, codes: [.environment], codesToday: [.certificateValidity, .environment]),
        Vector(file: "go-iap/renewalInfo", kind: .renewal, codesToday: [.certificateValidity]),
        Vector(file: "dotnet-mock/ChainCertificateCompromised_Fails.txt", codes: [.certificateChain]),
        Vector(file: "dotnet-mock/JWSIsMissingAPart_Fails.txt", codes: [.malformed]),
        Vector(file: "dotnet-mock/Nox5cParameter_Fails.txt", codes: [.malformed]),
        Vector(
            file: "gopay/transaction-6600cd6e", bundle: "com.audaos.audarecorder", kind: .transaction,
            codesToday: [.certificateValidity]),
        Vector(
            file: "gopay/transaction-0cd9c84b", bundle: "Com.VoiceRecording.Telephone", kind: .transaction,
            codesToday: [.certificateValidity]),
        Vector(
            file: "gopay/notification-9d61db45", bundle: "com.audaos.audarecorder", codes: [.certificateValidity]),
        Vector(
            file: "gopay/notification-9d61db45.signedRenewalInfo", kind: .renewal, codesToday: [.certificateValidity]),
        Vector(
            file: "gopay/notification-da2c238f", bundle: "com.jrjj.keysns", environment: .production,
            kind: .notification, codesToday: [.certificateValidity], app: 1_601_830_814),
        Vector(
            file: "gopay/notification-da2c238f", bundle: "com.jrjj.keysns", environment: .production,
            codes: [.appIdentifier], codesToday: [.certificateValidity, .appIdentifier], app: 1),
        Vector(
            file: "gopay/notification-da2c238f.signedTransactionInfo", bundle: "com.jrjj.keysns",
            environment: .production, kind: .transaction, codesToday: [.certificateValidity]),
    ]

    private let folder: URL
    private let roots: TrustedRoots

    init() throws {
        folder = try #require(Repository.corpus("jws"))
        let mock = try Self.certificate(folder.appending(path: "certs/testCA.der"))
        let token = try Self.text(folder.appending(path: "apple-xcode/xcode-signed-app-transaction"))
        let xcode = try #require(try JWSHeader(segment: CompactJWS(token).header).certificates.first)
        roots = try TrustedRoots.apple.union(TrustedRoots(pem: mock.serializeAsPEM().pemString))
            .union(TrustedRoots(xcodeData: Data(xcode.serializeAsPEM().pemString.utf8)))
    }

    private static func text(_ file: URL) throws -> String {
        try String(contentsOf: file, encoding: .utf8).trimmingCharacters(in: .whitespacesAndNewlines)
    }

    private static func certificate(_ file: URL) throws -> Certificate {
        try Certificate(derEncoded: Array(Data(contentsOf: file)))
    }

    private func verifier(_ vector: Vector, _ validity: CertificateValidity) -> SignedDataVerifier {
        SignedDataVerifier(
            roots: roots, bundleIdentifier: vector.bundle, appIdentifier: vector.app, environment: vector.environment,
            validity: validity)
    }

    @Test(arguments: vectors.indices)
    func `each corpus token has the expected verification result at its own date and today`(index: Int) async throws {
        let vector = Self.vectors[index]
        let token = try Self.text(folder.appending(path: vector.file))
        let then = await verifier(vector, .whenSigned).verify(signedData: token)
        #expect(then.codes == vector.codes, "\(vector.file): \(then)")
        #expect((then.value != nil) == vector.codes.isEmpty)
        #expect(then.value?.kind == (vector.codes.isEmpty ? vector.kind : nil))

        let today = await verifier(vector, .current).verify(signedData: token)
        let codes = vector.codesToday ?? vector.codes
        #expect(today.codes == codes, "\(vector.file): \(today)")
        #expect((today.value != nil) == codes.isEmpty)
    }

    @Test func `every token of the corpus has an expected result in this suite`() throws {
        let expected = try #require(
            try JSONSerialization.jsonObject(with: Data(contentsOf: folder.appending(path: "expected.json")))
                as? [String: Any])
        let files = expected.keys.filter { !$0.hasPrefix("_") }.map { $0.dropFirst("jws/".count) }
        #expect(Set(files.map(String.init)) == Set(Self.vectors.map(\.file)))
    }

    @Test func `a real transaction, renewal, notification and app transaction are read`() async throws {
        func verified<Value>(
            _ index: Int, _ verify: (SignedDataVerifier, String) async -> Verification<Value>
        ) async throws -> Value {
            let vector = Self.vectors[index]
            let token = try Self.text(folder.appending(path: vector.file))
            return try #require(await verify(verifier(vector, .whenSigned), token).value)
        }
        let index = try #require(Self.vectors.firstIndex { $0.file == "gopay/transaction-0cd9c84b" })
        let transaction = try await verified(index) { await $0.verify(transaction: $1) }.payload
        #expect(transaction.offerType == .introductory)
        #expect(transaction.appAccountToken?.uuidString == "207262DA-1AC8-4E0A-A399-5AA62A82800F")

        let renewal = try await verified(9) { await $0.verify(renewal: $1) }.payload
        #expect(renewal.autoRenewStatus == .on)
        #expect(renewal.recentSubscriptionStartDate == Date(timeIntervalSince1970: 1_684_822_738))

        let last = try #require(Self.vectors.firstIndex { $0.file == "gopay/notification-da2c238f" })
        let notification = try await verified(last) { await $0.verify(notification: $1) }
        #expect(notification.payload.type == .consumptionRequest)
        #expect(notification.transaction?.payload.type == .consumable)
        #expect(notification.transaction?.payload.reason == .purchase)

        let app = try await verified(7) { await $0.verify(appTransaction: $1) }.payload
        #expect(app.originalPurchaseDate == .distantPast)
        #expect(app.deviceVerification?.isEmpty == false)
    }

    @Test func `a real token with a flipped bit is refused`() async throws {
        let vector = try #require(Self.vectors.first { $0.file == "gopay/transaction-6600cd6e" })
        let token = Array(try Self.text(folder.appending(path: vector.file)).utf8)
        let verifier = verifier(vector, .whenSigned)
        for index in stride(from: 0, to: token.count, by: 11) {
            var flipped = token
            flipped[index] ^= 1 << UInt8(index % 8)
            let text = String(decoding: flipped, as: UTF8.self)
            #expect(await verifier.verify(transaction: text).value == nil, "byte \(index)")
        }
    }

    private struct ChainVector: Decodable {
        let leaf, intermediate, root, expect: String
        let time: TimeInterval?
    }

    @Test func `our library and Apple's library give the same verdict about Apple's certificate chains`() async throws {
        struct Vectors: Decodable {
            let validation_time_unix: TimeInterval
            let cases: [ChainVector]
        }
        let all = try JSONDecoder().decode(
            [String: Vectors].self,
            from: JSONSerialization.data(
                withJSONObject: try #require(
                    JSONSerialization.jsonObject(with: Data(contentsOf: folder.appending(path: "expected.json")))
                        as? [String: Any]
                ).filter { $0.key == "_chain_vectors" }))
        let vectors = try #require(all["_chain_vectors"])
        #expect(vectors.cases.count == 7)
        for vector in vectors.cases {
            func certificate(_ name: String) throws -> Certificate {
                try Self.certificate(folder.appending(path: "certs/chain-vectors/\(name).der"))
            }
            let roots = try TrustedRoots(pem: certificate(vector.root).serializeAsPEM().pemString)
            let date = Date(timeIntervalSince1970: vector.time ?? vectors.validation_time_unix)
            let leaf = try certificate(vector.leaf)
            let intermediate = try certificate(vector.intermediate)
            let chain = try? await ChainVerifier(roots: roots).verify(leaf: leaf, intermediates: [intermediate])
            let isGood = chain.map { $0.rejection(at: date) == nil } ?? false
            #expect(
                isGood == vector.expect.hasPrefix("valid"), "\(vector.leaf), \(vector.intermediate), \(vector.root)")
        }
    }
}
