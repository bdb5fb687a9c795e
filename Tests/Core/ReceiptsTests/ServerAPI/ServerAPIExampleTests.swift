import Foundation
import Testing
import VitrineTestSupport

@testable import VitrineReceipts

/// The example for the App Store Server API in Receipts.md is the file `ServerAPIExample.swift`, which is compiled here.
@Suite(.hangLimit) struct ServerAPIExampleTests {
    @Test func `the code of the server API example is identical to the code in Receipts.md`() throws {
        let file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "ServerAPIExample.swift")
        let example = try String(contentsOf: file, encoding: .utf8)
        let page = try String(contentsOf: Repository.file("Documentation/Receipts.md"), encoding: .utf8)

        #expect(page.contains("```swift\n\(example)```\n"))
    }

    @Test func `the server API example reads all pages, and later continues from the last revision`() async throws {
        let chain = try TestChain()
        let transaction = try chain.token(TransactionPayload.sample())
        let server = try await LoopbackServer(
            .history([transaction], revision: "r1", hasMore: true), .history([], revision: "r2", hasMore: false))
        let client = ServerAPISample().client(server.url)
        let revision = try await catchUp(with: "7", after: nil, client: client, verifier: chain.verifier())
        #expect(revision == "r2")
        #expect(try await catchUp(with: "7", after: revision, client: client, verifier: chain.verifier()) == "r2")
        #expect(server.requests.last?.path == "/inApps/v2/history/7?revision=r2")
    }

    @Test func `the server API example creates a client from a private key file of App Store Connect`() throws {
        _ = try makeClient(privateKey: ServerAPISample().key.pem)
        #expect(throws: SignedDataError.self) { try makeClient(privateKey: "") }
    }
}
