import Foundation
import SwiftASN1
import Testing
import VitrineTestSupport
import X509

@testable import VitrineReceipts

/// Differential tests against Apple's own library for tokens.
@Suite(
    .blocksThreads, .hangLimit,
    .enabled(if: ApplePeer.isInstalled, "Scripts/peers has not installed Apple's library"))
struct ApplePeerTests {
    private struct Case: Decodable {
        let name, kind, token, root, bundle, environment, verdict: String
        let app: Int64?
    }

    private func isVerified(_ item: Case) async throws -> Bool {
        let root = try Certificate(derEncoded: Array(try #require(Data(base64Encoded: item.root))))
        let verifier = SignedDataVerifier(
            roots: try TrustedRoots(pem: root.serializeAsPEM().pemString), bundleIdentifier: item.bundle,
            appIdentifier: item.app, environment: StoreEnvironment(rawValue: item.environment))
        let document = await verifier.verify(signedData: item.token)
        let isVerified =
            switch item.kind {
            case "transaction": await verifier.verify(transaction: item.token).value != nil
            case "renewal": await verifier.verify(renewal: item.token).value != nil
            case "appTransaction": await verifier.verify(appTransaction: item.token).value != nil
            case "notification": await verifier.verify(notification: item.token).value != nil
            default: throw CocoaError(.featureUnsupported)
            }
        #expect((document.value != nil) == isVerified, "\(item.name)")
        if isVerified { #expect(document.value?.kind?.rawValue == item.kind) }
        return isVerified
    }

    @Test func `our library and Apple's library give the same verdict about valid and invalid signed tokens`()
        async throws
    {
        let cases = try ApplePeer.ask("make", [String](), as: [Case].self)
        #expect(cases.count { $0.verdict == "OK" } > 10)
        #expect(cases.count { $0.verdict != "OK" } > 30)
        for item in cases {
            #expect(try await isVerified(item) == (item.verdict == "OK"), "\(item.name): Apple's says \(item.verdict)")
        }
    }
}
