import Foundation
import HostedContent
import ProductCatalog
import TestSupport
import Testing

/// Downloads of several processes in one directory.
extension ContentDownloadsTests {
    /// Content that lies in the download's folder, which goes with it.
    private struct ContentInFolder: ContentSource {
        let package: URL

        func fetch(
            _ request: ContentRequest, in folder: URL, progress: @escaping @Sendable (ContentProgress) -> Void
        ) async throws(ContentError) -> FetchedContent {
            let copy = folder.appending(component: "package")
            do {
                try FileManager.default.copyItem(at: package, to: copy)
            } catch {
                throw ContentError(code: .storage, reason: "\(error)")
            }
            return .package(try ContentPackage(folder: copy))
        }
    }

    @Test func `a folder that another process has made since stays`() async throws {
        let (directory, package) = (directory, try SamplePackage(in: folder))
        let downloads = ContentDownloads(
            directory: directory, source: ContentInFolder(package: package.url),
            installed: { _, _ throws(ContentError) in
                #expect(try directory.downloads().isEmpty)
                let others = try directory.downloadFolder(for: "rome").appending(component: "part")
                #expect(FileManager.default.createFile(atPath: others.path(), contents: Data("half".utf8)))
            })
        _ = try await downloads.content(wanted("rome"), isAsked: true)

        #expect(try directory.downloads() == ["rome"])
        #expect(bytes(of: "rome").count == 1)
    }
}
