import Foundation
import Logging
import VitrinePreviewServer
import VitrineShopPreview
import VitrineTestSupport

/// Preview of a shop in a temporary folder, with its server.
struct ServedPreview: Sendable {
    let shop: PreviewShop
    /// Address of the page.
    let url: URL
    /// Folder with copies of the catalog and its store.
    let folder: TemporaryFolder

    /// Secret component of the path.
    var token: String { url.pathComponents[1] }

    /// Serves a shop while a function runs.
    ///
    /// - Parameters:
    ///   - catalog: Catalog as text; `nil` for a copy of the sample catalog with its store.
    ///   - files: Further files beside the catalog, by their names.
    ///   - logger: Logger of the server; `nil` for no log.
    static func run<Value: Sendable>(
        catalog: String? = nil, files: [String: Data] = [:], logger: Logger? = nil,
        _ body: (ServedPreview) async throws -> Value
    ) async throws -> Value {
        let folder = try TemporaryFolder()
        for (name, data) in files { try folder.write(data, to: name) }
        let shop = try await shop(in: folder, catalog: catalog)
        var silent = Logger(label: "test")
        silent.logLevel = .critical
        let (ready, isReady) = AsyncStream<URL>.makeStream()
        let server = PreviewServer(shop: shop, logger: logger ?? silent) { isReady.yield($0) }
        let thread = ThreadExecutor()
        let running = Task(executorPreference: thread) {
            defer { withExtendedLifetime(thread) { isReady.finish() } }
            try await server.run()
        }
        defer { running.cancel() }
        guard let url = await ready.first(where: { _ in true }) else {
            try await running.value
            throw CancellationError()
        }
        let value = try await body(ServedPreview(shop: shop, url: url, folder: folder))
        running.cancel()
        _ = try? await running.value
        await shop.close()
        return value
    }

    /// Opens a shop whose clock starts at a fixed date.
    static func shop(in folder: TemporaryFolder, catalog: String? = nil) async throws -> PreviewShop {
        let plist = folder["Voyager.plist"]
        var store: URL?
        if let catalog {
            try folder.write(catalog, to: "Voyager.plist")
        } else {
            store = folder["Voyager.storekit"]
            try FileManager.default.copyItem(at: Repository.sample("Voyager.plist"), to: plist)
            try FileManager.default.copyItem(at: Repository.sample("Voyager.storekit"), to: folder["Voyager.storekit"])
        }
        return try await PreviewShop(
            catalog: plist, storeFile: store, content: catalog == nil ? Repository.samplePackages : nil,
            folder: folder["Preview"], clockStart: Date(timeIntervalSince1970: 1_800_000_000))
    }

    /// Sends a request as a browser that shows the page does.
    ///
    /// - Parameters:
    ///   - path: Path below the token, with the query.
    ///   - form: Fields of a form; `nil` for a request without one.
    ///   - headers: Further header fields.
    func send(
        _ method: String = "GET", _ path: String = "", form: [(String, String)]? = nil, headers: [(String, String)] = []
    ) async throws -> PreviewAnswer {
        let body = form?.map { "\($0.0)=\(Self.encoded($0.1))" }.joined(separator: "&") ?? ""
        return try await PreviewClient(port: url.port ?? 0).send(
            method, "/\(token)/\(path)", host: "127.0.0.1:\(url.port ?? 0)", headers: headers, body: body)
    }

    private static func encoded(_ text: String) -> String {
        text.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
    }
}
