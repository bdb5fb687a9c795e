internal import Crypto
internal import Foundation
package import ProductCatalog

extension ContentDirectory {
    private var downloadArea: URL { url.appending(component: ".downloads") }

    func downloadFolder(for productIdentifier: String) throws(ContentError) -> URL {
        try FolderTree.makeFolder(url)
        try FolderLock.locking(url) { () throws(ContentError) in try BackupExclusion.mark(url) }
        try FolderTree.makeFolder(downloadArea)
        let folder = downloadArea.appending(component: productIdentifier)
        try FolderTree.makeFolder(folder)
        return folder
    }

    func removeDownload(for productIdentifier: String) throws(ContentError) {
        try FolderTree.remove(downloadArea.appending(component: productIdentifier))
        if try FolderTree.status(of: downloadArea) != nil { try FolderTree.removeFolderIfEmpty(downloadArea) }
    }

    package func downloads() throws(ContentError) -> [String] {
        guard try FolderTree.status(of: downloadArea) != nil else { return [] }
        return try FolderTree.names(in: downloadArea)
    }

    func install(
        _ fetched: FetchedContent, request: ContentRequest, at path: ContentPath
    ) async throws(ContentError) -> InstalledContent {
        guard case .package(let package) = fetched else {
            throw ContentError(code: .invalidPackage, reason: "archives cannot be unpacked")
        }
        return try await install(package, at: path)
    }

    @discardableResult
    package func remove(at path: ContentPath) throws(ContentError) -> InstalledContent? {
        guard let installed = try installedContent(at: path) else { return nil }
        try FolderTree.remove(installed.url)
        return installed
    }
}

extension ContentRequest {
    package init(_ product: CatalogProduct) { self.init(productIdentifier: product.identifier) }
}
