internal import Crypto
public import Foundation
internal import VitrineCatalog
internal import VitrineFileSystem
public import VitrineSupport

/// Folders of downloads that are not installed yet, one for each product. A folder is named by the digest of the
/// product's identifier, and contains a file with this identifier, and a folder for the received bytes.
extension ContentDirectory {
    private static let downloadsName = ReservedContentName.downloads.rawValue
    private static let productName = "Product"
    private static let partsName = "parts"
    /// Maximum length of a product identifier in bytes; no store has longer ones.
    private static let longestIdentifier = 4096

    private func download(of productIdentifier: String) -> URL {
        url.appending(component: Self.downloadsName)
            .appending(component: SHA256.hash(data: Array(productIdentifier.utf8)).hexadecimal)
    }

    /// Creates a folder for the download of a product's content, unless it exists. The folder is on the volume of the
    /// content directory and excluded from backups. It stays until the content is installed from it or the download is
    /// removed. While a process holds a lock on the folder (see `FolderLock`), ``removeDownloads(exceptFor:)`` does not
    /// remove it.
    ///
    /// - Throws: ``ContentError``: `invalidPlace` for an identifier that no product has, `noSpace` or `storage`.
    public func downloadFolder(for productIdentifier: String) throws(ContentError) -> URL {
        guard (1...Self.longestIdentifier).contains(productIdentifier.utf8.count) else {
            throw .invalidPlace("\(productIdentifier.quoted) cannot be the identifier of a product")
        }
        try prepare()
        return try FolderLock.locking(url) { () throws(ContentError) in
            let folder = download(of: productIdentifier)
            let parts = folder.appending(component: Self.partsName)
            guard try FolderTree.status(of: parts)?.kind != .folder else { return parts }
            try FolderTree.remove(folder)
            try FolderTree.makeFolder(folder.deletingLastPathComponent())
            try FolderTree.makeFolder(folder)
            try FileBlocks.write(folder.appending(component: Self.productName)) { (write) throws(ContentError) in
                try write(Data(productIdentifier.utf8))
            }
            try FolderTree.makeFolder(parts)
            for folder in [folder, folder.deletingLastPathComponent(), url] { try FolderTree.sync(folder) }
            return parts
        }
    }

    /// Removes the download folder of a product, with all received bytes.
    ///
    /// - Throws: ``ContentError`` `storage`.
    public func removeDownload(for productIdentifier: String) throws(ContentError) {
        try removeDownload(for: productIdentifier) { _ in true }
    }

    /// Removes the download folder of a product, if the folder meets a condition.
    ///
    /// - Parameter isMeant: Function that returns `true` if the folder at a URL is to be removed. Called while the
    ///   content directory is locked.
    func removeDownload(
        for productIdentifier: String, where isMeant: (URL) throws(ContentError) -> Bool
    ) throws(ContentError) {
        guard try isFolder(url) else { return }
        try FolderLock.locking(url) { () throws(ContentError) in
            let folder = download(of: productIdentifier)
            guard try isMeant(folder.appending(component: Self.partsName)) else { return }
            try FolderTree.remove(folder)
            try FolderTree.removeFolderIfEmpty(url.appending(component: Self.downloadsName))
        }
    }

    /// Returns the sorted identifiers of the products that have a download folder, whose content is not installed yet.
    ///
    /// - Throws: ``ContentError`` `storage`.
    public func downloads() throws(ContentError) -> [String] {
        let area = url.appending(component: Self.downloadsName)
        guard try isFolder(url), try isFolder(area) else { return [] }
        var products: [String] = []
        for name in try FolderTree.namesIfPresent(in: area) ?? [] {
            if let product = try product(of: area.appending(component: name)) { products.append(product) }
        }
        return products.sorted()
    }

    /// Removes the download folders of all products except the given ones. A folder that a process has locked stays.
    /// The app calls this at launch with the products of its catalog.
    ///
    /// - Returns: Products whose download folder was removed.
    /// - Throws: ``ContentError`` `storage`.
    @discardableResult
    public func removeDownloads(exceptFor products: Set<String>) throws(ContentError) -> [String] {
        var removed: [String] = []
        for product in try downloads() where !products.contains(product) {
            let isRemoved = try FolderLock.locking(url) { () throws(ContentError) in
                let parts = download(of: product).appending(component: Self.partsName)
                guard try FolderTree.status(of: parts) != nil else { return false }
                guard let lock = try FolderTree.lockIfFree(parts) else { return false }
                defer { withExtendedLifetime(lock) {} }
                try FolderTree.remove(download(of: product))
                try FolderTree.removeFolderIfEmpty(url.appending(component: Self.downloadsName))
                return true
            }
            if isRemoved { removed.append(product) }
        }
        return removed
    }

    /// Removes download folders without a product identifier, whose creation or removal was interrupted.
    func removeUnknownDownloads() throws(ContentError) {
        let area = url.appending(component: Self.downloadsName)
        guard try FolderTree.status(of: area) != nil else { return }
        try FolderLock.locking(url) { () throws(ContentError) in
            // Another process may have removed the last download before the lock was taken.
            guard let kind = try FolderTree.status(of: area)?.kind else { return }
            guard kind == .folder else { return try FolderTree.remove(area) }
            for name in try FolderTree.names(in: area) {
                let folder = area.appending(component: name)
                if try product(of: folder) == nil { try FolderTree.remove(folder) }
            }
            try FolderTree.removeFolderIfEmpty(area)
        }
    }

    /// Moves a download folder from a staging folder back to the other downloads, unless there is a newer download of its
    /// product. Called while the directory is locked.
    func putBackDownload(from staging: URL) throws(ContentError) {
        for name in try FolderTree.names(in: staging) {
            let taken = staging.appending(component: name)
            guard let product = try product(of: taken) else { continue }
            let folder = download(of: product)
            guard try FolderTree.status(of: folder) == nil else { continue }
            let area = folder.deletingLastPathComponent()
            try FolderTree.makeFolder(area)
            try FolderTree.move(taken, to: folder)
            for folder in [area, url] { try FolderTree.sync(folder) }
        }
    }

    /// Returns the product whose download is stored in a folder; `nil` if the folder is not a download folder.
    private func product(of folder: URL) throws(ContentError) -> String? {
        let file = folder.appending(component: Self.productName)
        guard try FolderTree.status(of: file)?.kind == .file,
            try FolderTree.status(of: folder.appending(component: Self.partsName))?.kind == .folder
        else { return nil }
        do {
            let bytes = try BoundedFile.read(file, limit: Self.longestIdentifier)
            let product = String(decoding: bytes, as: UTF8.self)
            return download(of: product).lastPathComponent == folder.lastPathComponent ? product : nil
        } catch {
            guard !error.isMissing else { return nil }
            throw .storage("\(file.relativePath): \(error.reason)")
        }
    }

    /// Returns the download folder of the requested product, if the given file is in it; otherwise `nil`.
    func download(of request: ContentRequest, with file: URL) -> URL? {
        let folder = download(of: request.productIdentifier)
        let (inside, outside) = (
            file.standardizedFileURL.pathComponents, folder.standardizedFileURL.pathComponents
        )
        return inside.starts(with: outside) ? folder : nil
    }
}
