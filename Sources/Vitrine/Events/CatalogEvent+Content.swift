public import HostedContent
internal import Logging
internal import Purchasing

extension CatalogEvent {
    /// Change of hosted content or of images.
    public enum Content: Sendable {
        /// New state or progress of a download; progress is reported a few times a second at most.
        case downloadUpdated(DownloadStatus)
        /// Content was installed, for a purchase or at the app's request.
        case installed(InstalledContent)
        /// The content of these products was removed. URLs that were provided before are invalid.
        case removed([String])
        /// The content directory or the packages could not be read or written.
        case failed(ContentError)
        /// Some backups may include the content, although its directory is marked as excluded.
        case mayBeBackedUp(BackupGap)
        /// The image at an address could not be fetched, or is not in a supported format. An earlier one stays.
        case imageFailed(String, ImageError)
        /// The index of cached images could not be written. They will be fetched again.
        case imagesNotCached(ImageError)
    }
}

extension CatalogEvent.Content {
    var description: EventDescription {
        switch self {
        case .downloadUpdated(let download):
            EventDescription(
                download.error == nil ? .debug : .warning, "download updated", products: [download.id],
                error: download.error, facts: [("state", download.state.rawValue)])
        case .installed(let content):
            EventDescription(
                .info, "content installed", products: [content.productIdentifier],
                facts: [("version", content.version)])
        case .removed(let identifiers): EventDescription(.info, "content removed", products: identifiers)
        case .failed(let error): EventDescription(.warning, "content failed", error: error)
        case .mayBeBackedUp(let gap):
            EventDescription(.warning, "content may be backed up", details: [("words", gap.description)])
        case .imageFailed(_, let error): EventDescription(.warning, "image failed", error: error)
        case .imagesNotCached(let error): EventDescription(.warning, "images not cached", error: error)
        }
    }
}
