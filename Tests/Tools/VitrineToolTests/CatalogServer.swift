import Foundation
import Synchronization
import VitrineCatalog
import VitrineCatalogLoading
import VitrineTestSupport

/// A web server with a signed catalog that can be replaced.
final class CatalogServer: Sendable {
    private let files: Files
    private let server: LoopbackServer

    /// Address of the catalog.
    var url: URL { server.url.appending(path: "Shop.plist") }

    /// Number of requests for the catalog file.
    var requests: Int { server.requests.filter { $0.path == "/Shop.plist" }.count }

    init(_ publisher: CatalogPublisher) async throws {
        let files = Files(try Self.files(of: publisher))
        self.files = files
        server = try await LoopbackServer { request in
            guard let body = files.all.withLock({ $0[request.path] }) else { return .reply(404) }
            return .reply(body: body)
        }
    }

    /// Serves the files of a publisher from now on.
    func publish(_ publisher: CatalogPublisher) throws {
        let new = try Self.files(of: publisher)
        files.all.withLock { $0 = new }
    }

    /// Removes all files from the server.
    func withdraw() { files.all.withLock { $0 = [:] } }

    private static func files(of publisher: CatalogPublisher) throws -> [String: Data] {
        let files = try publisher.files()
        return [
            "/Shop.plist": files.catalog, "/Shop.plist.minisig": files.signature, "/keys.plist": files.keys,
            "/keys.plist.minisig": files.keysSignature,
        ]
    }
}

/// Files that the server object shares with its closure.
private final class Files: Sendable {
    let all: Mutex<[String: Data]>

    init(_ files: [String: Data]) { all = Mutex(files) }
}
