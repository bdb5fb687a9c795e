internal import VitrineFileSystem
internal import VitrineSupport

#if canImport(Darwin)
    internal import Foundation
    internal import VitrineCatalog

    /// Exclusion of a folder from backups on Apple's systems. The project's continuous integration does not run this
    /// code, because it runs on Linux.
    enum BackupExclusion {
        @discardableResult
        static func mark(_ folder: URL) throws(ContentError) -> BackupGap? {
            try FileProtection.relax(folder)
            var folder = folder
            var values = URLResourceValues()
            values.isExcludedFromBackup = true
            do {
                guard try folder.resourceValues(forKeys: [.isExcludedFromBackupKey]).isExcludedFromBackup != true
                else { return nil }
                try folder.setResourceValues(values)
            } catch {
                throw .storage(
                    "\(folder.relativePath) cannot be excluded from backups: \(BoundedFile.reason(for: error))")
            }
            return nil
        }
    }
#else
    internal import CVitrineSystem
    internal import Foundation
    internal import VitrineCatalog

    /// Exclusion of a folder from backups on Linux by a [cache directory tag](https://bford.info/cachedir/), which
    /// `tar`, `borg`, `restic` and others obey, and by the extended file attribute `user.xdg.robots.backup` of
    /// freedesktop.org.
    enum BackupExclusion {
        private static let tagName = ReservedContentName.backupTag.rawValue
        private static let signature = "Signature: 8a477f597d28d172789f06886806bc55"
        private static let attribute = "user.xdg.robots.backup"
        private static let excluded = "false"

        /// Marks a folder as excluded from backups, unless it is marked already. On a file system without extended
        /// attributes, only the tag file is written.
        ///
        /// - Returns: Limitation of the exclusion if only the tag file was written; otherwise `nil`.
        @discardableResult
        static func mark(_ folder: URL) throws(ContentError) -> BackupGap? {
            try writeTag(folder.appending(component: tagName))
            guard try !setAttribute(of: folder) else { return nil }
            return BackupGap(
                description:
                    "the file system of \(folder.relativePath) has no extended attributes: backups that look for "
                    + "\(attribute) and not for \(tagName) include the content")
        }

        private static func writeTag(_ file: URL) throws(ContentError) {
            if let status = try FolderTree.status(of: file) {
                if status.kind == .file, try isTag(file) { return }
                guard status.kind != .folder else {
                    throw .invalidPlace("\(file.relativePath) must be a file, but is a folder")
                }
                try FolderTree.remove(file)
            }
            let text = """
                \(signature)
                # This content can be downloaded again, and is excluded from backups.
                # See https://bford.info/cachedir/

                """
            try FileBlocks.write(file) { (write) throws(ContentError) in try write(Data(text.utf8)) }
            try FolderTree.sync(file.deletingLastPathComponent())
        }

        private static func isTag(_ file: URL) throws(ContentError) -> Bool {
            try BoundedFile.content(of: file, limit: signature.utf8.count).starts(with: signature.utf8)
        }

        /// Sets the attribute that excludes a folder from backups.
        ///
        /// - Returns: `false` if the file system has no extended attributes.
        private static func setAttribute(of folder: URL) throws(ContentError) -> Bool {
            let path = folder.systemPath
            var value = [CChar](repeating: 0, count: excluded.utf8.count)
            let length = vitrine_get_attribute(path, attribute, &value, value.count)
            if length == excluded.utf8.count, value.map(UInt8.init(bitPattern:)) == Array(excluded.utf8) { return true }
            if vitrine_set_attribute(path, attribute, excluded, excluded.utf8.count) == 0 { return true }
            guard errno == ENOTSUP else { throw ContentError(lastAt: folder) }
            return false
        }
    }
#endif

/// Reason why some backups may include the content folder although it is marked as excluded.
public struct BackupGap: Sendable, Hashable, CustomStringConvertible {
    /// Description of the backups that may include the content of products, and the reason; a sentence without its
    /// period.
    public let description: String
}
