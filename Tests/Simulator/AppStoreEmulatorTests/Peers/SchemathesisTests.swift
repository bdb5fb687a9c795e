import Foundation
import Testing
import VitrineAppStoreEmulator
import VitrineReceipts
import VitrineStoreSimulator
import VitrineTestSupport

/// Random requests, of which `Scripts/check-app-store-emulator` sends as many as possible in half a minute. `make test`
/// runs this test after most others, so that more requests can be sent.
@Suite(
    .blocksThreads, .hangLimit,
    .enabled(if: PeerTool.pythonWithPeers.isInstalled, "Scripts/peers was not run"))
struct SchemathesisTests {
    @Test func `random requests by schemathesis get only responses that the OpenAPI file describes`() async throws {
        let receiver = try await LoopbackServer(.reply())
        try await ServedStore.run(at: nil, webhook: receiver) { served in
            try await live(in: served)
            let folder = try TemporaryFolder()
            let key = try folder.write(served.key.pem, to: "AuthKey.p8")
            let arguments = [
                Repository.file("Scripts/check-app-store-emulator").path(percentEncoded: false),
                served.url.absoluteString,
                key.path(percentEncoded: false), served.key.identifier, served.key.issuer, ServedStore.bundle,
            ]
            let result = try PeerTool.shell.run(arguments)

            #expect(result.status == 0, "\(result.output.suffix(8_000))")
            let count = try #require(result.output.firstMatch(of: /(\d+) generated, (\d+) passed/))
            #expect(try #require(Int(count.1)) >= EmulatorOperation.all.count)
            print("schemathesis: \(count.0)")
        }
    }

    /// Makes purchases of all kinds, and refunds some of them.
    private func live(in served: ServedStore) async throws {
        let store = served.store
        let bought = try await served.buy("coins", "coins", "map", "pass", "club.silver", "news")
        for member in [store, try store.device("phone", of: "Ada")] { try await member.joinFamily("Lovelace") }
        try await served.buy("club.gold", "coins", by: try store.device("phone", of: "Grace"))
        try await store.refund(bought[0])
        try await store.requestRefund(bought[1])
    }
}
