import FileSystem
import Foundation
import ProductCatalog
import Vitrine

/// What `vitrine init` remembers about a home, in `vitrine.json`.
struct HomeSettings: Codable {
    /// The absolute path of the catalog; `nil` where all there is is a remote one.
    var catalog: String?
    /// Where a newer catalog is looked for.
    var remote: RemoteSettings?
    /// The absolute path of the folder with the packages of hosted content.
    var content: String?

    private static let sizeLimit = 64 * 1024

    static func url(in home: Home) -> URL {
        home.url.appending(path: "vitrine.json", directoryHint: .notDirectory)
    }

    /// - Returns: `nil` where nobody has set up a home.
    static func read(from home: Home) throws -> HomeSettings? {
        let url = url(in: home)
        let data: Data
        do {
            data = try BoundedFile.read(url, limit: sizeLimit)
        } catch  where error.isMissing {
            return nil
        } catch {
            throw ToolFailure(status: .inputOutput, reason: "\(url.relativePath) cannot be read: \(error.reason)")
        }
        do {
            return try JSONDecoder().decode(HomeSettings.self, from: data)
        } catch {
            throw ToolFailure(status: .unusableData, reason: "\(url.relativePath) is not what vitrine init writes")
        }
    }

    /// Where the catalog comes from.
    ///
    /// - Throws: ``ToolFailure`` where the settings name none, or one that cannot be.
    func source() throws(ToolFailure) -> CatalogSource {
        let local = catalog.map { URL(filePath: $0, directoryHint: .notDirectory) }
        if let remote { return .remote(try remote.catalog(), local: local) }
        guard let local else {
            throw ToolFailure(status: .unusableData, reason: "the home has no catalog; vitrine init gives it one")
        }
        return .file(local)
    }

    /// Where content lies that is not hosted: beside the catalog.
    var bundledContent: URL? {
        catalog.map { URL(filePath: $0, directoryHint: .notDirectory).deletingLastPathComponent() }
    }

    func write(to home: Home) throws {
        do {
            try home.create()
            try DurableFile.write(Data(Console.encode(self).utf8), to: Self.url(in: home))
        } catch {
            throw ToolFailure(
                status: .inputOutput,
                reason: "the home \(home.url.relativePath) cannot be written: \(BoundedFile.reason(for: error))")
        }
    }
}
