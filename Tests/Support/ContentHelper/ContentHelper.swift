import Foundation
import VitrineCatalog
import VitrineHostedContent

/// Performs one operation on a content directory in a process that a test can kill.
@main
struct ContentHelper {
    /// Exits with status 64 for invalid arguments, and with 74 after a failure, whose reason is written to standard
    /// error.
    static func main() async {
        do {
            try await run(Array(CommandLine.arguments.dropFirst()))
        } catch {
            FileHandle.standardError.write(Data("\(error)\n".utf8))
            exit(74)
        }
    }

    private static func run(_ arguments: [String]) async throws {
        let directory = ContentDirectory(url: URL(filePath: arguments[1]))
        switch arguments[0] {
        case "launch": if let gap = try directory.prepareIfPresent() { print(gap) }
        case "install-package":
            let package = try ContentPackage(folder: URL(filePath: arguments[2]))
            _ = try await directory.install(.package(package), request: request(arguments), at: place(arguments))
        case "install-archive":
            let archive = try fetch(URL(filePath: arguments[2]), for: arguments[3], into: directory)
            _ = try await directory.install(.archive(archive, nil), request: request(arguments), at: place(arguments))
        case "remove": try directory.remove(at: ContentPath(arguments[2]))
        case "evict": try directory.evict(to: ContentQuota(bytes: 0))
        case "fetch", "download", "want", "pause", "cancel":
            var request = request(arguments)
            request.urls = [URL(string: arguments[2])].compactMap(\.self)
            try await WebDownloading(directory: directory, request: request, path: place(arguments)).run(arguments[0])
        default: exit(64)
        }
    }

    private static func request(_ arguments: [String]) -> ContentRequest {
        ContentRequest(productIdentifier: arguments[3], version: arguments[4])
    }

    private static func place(_ arguments: [String]) throws -> ContentPath { try ContentPath(arguments[5]) }

    /// Copies an archive into the download folder of its product, as if it had been downloaded.
    private static func fetch(_ archive: URL, for product: String, into directory: ContentDirectory) throws -> URL {
        try directory.prepareIfPresent()
        let file = try directory.downloadFolder(for: product).appending(path: "archive")
        if (try? Data(contentsOf: file)) != (try Data(contentsOf: archive)) {
            try Data(contentsOf: archive).write(to: file)
        }
        return file
    }
}
