import Foundation
import Testing
import Vitrine
import VitrineCatalog
import VitrineHostedContent
import VitrinePurchasing
import VitrineStoreSimulator
import VitrineTestSupport

/// Content that cannot be downloaded: what lint says of it, whether its product is offered, and whether it is sold.
@Suite(.hangLimit) struct UnreachableContentTests: ManagerScene {
    let voyager: VoyagerStore
    let folder: TemporaryFolder

    init() throws {
        voyager = try VoyagerStore()
        folder = try TemporaryFolder()
    }

    enum Outcome: Sendable {
        /// The product is listed as not offered.
        case notOffered
        /// The product is listed as offered, and the purchase is refused before the customer is charged.
        case refused
        /// The product is sold, and its content awaited.
        case sold
    }

    /// Reason why content cannot be downloaded.
    struct Obstacle: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let outcome: Outcome
        /// Changes the entry of the product in the catalog.
        var catalog: @Sendable (String) -> String = { $0 }
        var isFoundByLint = false
        /// Answers a request for the manifest or the archive; `nil` for the file.
        var answer: @Sendable (_ path: String, _ file: Data) -> LoopbackServer.Answer? = { _, _ in nil }
    }

    private static func address(_ name: String, _ address: String) -> Obstacle {
        Obstacle(
            testDescription: name, outcome: .notOffered,
            catalog: { $0.replacing(/http:\/\/127[^<]*/, with: address) }, isFoundByLint: true)
    }

    private static func manifest(_ status: Int, _ outcome: Outcome = .refused) -> Obstacle {
        Obstacle(
            testDescription: "\(status) for the manifest", outcome: outcome,
            answer: { path, _ in
                path.hasSuffix(".plist") ? .reply(status, headers: ["Retry-After": "7200"]) : nil
            })
    }

    private static func archive(_ status: Int, _ outcome: Outcome = .refused) -> Obstacle {
        Obstacle(
            testDescription: "\(status) for the archive", outcome: outcome,
            answer: { path, _ in path.hasSuffix(".zip") ? .reply(status, headers: ["Retry-After": "7200"]) : nil })
    }

    private static func redirect(_ name: String, to address: String) -> Obstacle {
        Obstacle(
            testDescription: name, outcome: .refused,
            answer: { path, _ in path.hasSuffix(".zip") ? .reply(302, headers: ["Location": address]) : nil })
    }

    static let obstacles = [
        address("a password in the address", "https://me:secret@content.example/rome.plist"),
        address("a port that does not exist", "https://content.example:99999/rome.plist"),
        address("another scheme", "ftp://content.example/rome.plist"), address("no host", "https:///rome.plist"),
        address("an address without encryption", "http://content.example/rome.plist"),
        Obstacle(
            testDescription: "an archive without a digest", outcome: .notOffered,
            catalog: {
                $0.replacing(".plist</string>", with: ".zip</string>")
                    .replacing(/<key>contentDigest<.key><string>[^<]*<.string>/, with: "")
            },
            isFoundByLint: true),
        manifest(401), manifest(403), manifest(404), manifest(410), archive(401), archive(403), archive(404),
        archive(410),
        Obstacle(
            testDescription: "a manifest with another digest", outcome: .refused,
            answer: { path, file in
                path.hasSuffix(".plist") ? .reply(body: file + Data("\n".utf8)) : nil
            }),
        Obstacle(
            testDescription: "a page in place of the manifest", outcome: .refused,
            answer: { path, _ in
                path.hasSuffix(".plist")
                    ? .reply(headers: ["Content-Type": "text/html"], body: Data("<html></html>".utf8)) : nil
            }),
        Obstacle(
            testDescription: "another version in the manifest than in the catalog", outcome: .refused,
            catalog: {
                $0.replacing("<key>contentVersion</key><string>1.0", with: "<key>contentVersion</key><string>2.0")
            }),
        Obstacle(
            testDescription: "an archive of another length", outcome: .refused,
            answer: { path, file in path.hasSuffix(".zip") ? .reply(body: file + Data([0])) : nil }),
        redirect("a redirect to an address without encryption", to: "http://content.example/rome.zip"),
        redirect("a redirect without end", to: "/rome-1.0.zip"),
        manifest(408, .sold), manifest(429, .sold), manifest(500, .sold), manifest(503, .sold), archive(500, .sold),
        archive(503, .sold),
    ]

    @Test(arguments: obstacles)
    func `a product whose content can never be downloaded is not sold, and one whose server is overloaded is`(
        obstacle: Obstacle
    ) async throws {
        let rome = try PackedRome(in: folder)
        let server = try await LoopbackServer { request in
            guard let file = rome.files[request.path] else { return .reply(404) }
            return obstacle.answer(request.path, file) ?? .reply(body: file)
        }
        let text = obstacle.catalog(try rome.catalog(on: server.url))
        let catalog = try folder.write(text, to: "catalog.plist")
        let manager = try await makeManager(catalog: .file(catalog), content: nil)
        #expect(await manager.loadProducts() == .productsLoaded)

        let findings = try CatalogFile(url: catalog).catalog.diagnostics.filter { $0.rule == "self-hosted-content" }
        // The test server's own address is not encrypted.
        #expect(findings.contains { !$0.message.contains("127.0.0.1") } == obstacle.isFoundByLint, "\(findings)")
        #expect(findings.allSatisfy { !$0.message.contains("secret") })
        #expect(try listing("rome", of: manager).isOffered == (obstacle.outcome != .notOffered))
        let answer = await manager.purchase(.voyager("rome"))
        let transactions = try await voyager.store.transactions()
        switch (answer, obstacle.outcome) {
        case (.failed(let failure), .notOffered), (.failed(let failure), .refused):
            #expect(failure.code == .notOffered)
            #expect(!failure.reason.contains("secret"))
            #expect(transactions.isEmpty)
        case (.pending(.content), .sold):
            #expect(manager.content.downloads.first?.error?.code == .network)
            #expect(transactions.count == 1)
        default: Issue.record("\(answer)")
        }
        await manager.stop()
    }
}
