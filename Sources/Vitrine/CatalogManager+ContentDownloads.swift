public import Foundation
public import HostedContent
internal import ProductCatalog

extension CatalogManager.Content {
    /// Downloads of content that were requested, and those left by earlier launches.
    public var downloads: [DownloadStatus] { manager.ownedContent.downloads.statuses }

    // MARK: Downloading content

    /// Downloads and installs the content of an owned product, unless the version that the catalog requires is
    /// installed. Resumes a download that is paused or was canceled.
    ///
    /// - Returns: Folder with the contents of the package's `Contents`.
    /// - Throws: ``OwnedContentError`` if the product is not owned, its ownership is unknown, its content is
    ///   unavailable or cannot be written, or the download is paused, canceled or not allowed by the app. Content
    ///   installed before then remains.
    @discardableResult
    public func download(for identifier: String) async throws(OwnedContentError) -> URL {
        let (product, path) = try ownedHostedProduct(identifier)
        do {
            _ = try await manager.ownedContent.download(product, at: path)
        } catch {
            throw OwnedContentError(error)
        }
        // The purchase may have been revoked in the meantime.
        return try url(for: identifier)
    }

    /// Downloads the content of a product before all content whose download has not begun, for example after the
    /// customer opened it.
    public func prioritize(for identifier: String) async { await manager.ownedContent.downloads.prioritize(identifier) }

    // MARK: Pausing and resuming

    /// Pauses a download. Received data is kept, even after the end of the process. A purchase that waits for the
    /// download is answered as pending.
    ///
    /// - Throws: `ContentError` if the pause cannot be stored for the next launch; the download is paused nevertheless.
    public func pauseDownload(of identifier: String) async throws(ContentError) {
        try await manager.ownedContent.downloads.pause(identifier)
    }

    /// Pauses every download that is active or waiting.
    ///
    /// - Throws: `ContentError`, as ``pauseDownload(of:)`` does.
    public func pauseDownloads() async throws(ContentError) {
        var failure: ContentError?
        for download in downloads where download.state == .waiting || download.state == .active {
            do throws(ContentError) {
                try await manager.ownedContent.downloads.pause(download.id)
            } catch {
                failure = failure ?? error
            }
        }
        if let failure { throw failure }
    }

    /// Resumes a download that is paused, has failed or was canceled. Events report the result.
    public func resumeDownload(of identifier: String) async { await manager.ownedContent.downloads.resume(identifier) }

    /// Resumes every paused download.
    public func resumeDownloads() async {
        for download in downloads where download.state == .paused {
            await manager.ownedContent.downloads.resume(download.id)
        }
    }

    /// Cancels a download and removes the received data. A purchase that waits for the download is answered as pending,
    /// and stays with the store until the content is downloaded after all.
    ///
    /// - Throws: `ContentError`: `notFound` if there is no such download, `inProgress` if another process runs it,
    ///   `storage`.
    public func cancelDownload(of identifier: String) async throws(ContentError) {
        try await manager.ownedContent.downloads.cancel(identifier)
    }
}
