internal import Foundation
internal import VitrineCatalog
internal import VitrineFileSystem

extension ContentDirectory {
    /// Marks the content directory as excluded from backups, unless it is marked already.
    ///
    /// - Returns: Limitation of the exclusion, if there is one.
    @discardableResult
    func excludeFromBackups() throws(ContentError) -> BackupGap? {
        #if canImport(Darwin)
            try FileProtection.relax(url)
        #endif
        let hasAttributes: Bool
        do {
            hasAttributes = try BackupExclusion.mark(url)
        } catch {
            throw ContentError(error)
        }
        guard !hasAttributes else { return nil }
        return BackupGap(
            description:
                "the file system of \(url.relativePath) has no extended attributes: backups that look for "
                + "user.xdg.robots.backup and not for \(ReservedContentName.backupTag.rawValue) include the content")
    }
}

/// Reason why some backups may include the content folder although it is marked as excluded.
public struct BackupGap: Sendable, Hashable, CustomStringConvertible {
    /// Description of the backups that may include the content of products, and the reason; a sentence without its
    /// period.
    public let description: String
}
