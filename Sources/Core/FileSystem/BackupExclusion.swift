package import Foundation

#if canImport(Darwin)
    /// Exclusion of a folder from backups on Apple's systems. The project's continuous integration does not run this
    /// code, because it runs on Linux.
    package enum BackupExclusion {
        /// Name of the tag's file in the excluded folder, which only folders from Linux have.
        package static let tagName = "CACHEDIR.TAG"

        /// Marks a folder as excluded from backups, unless it is marked already.
        ///
        /// - Returns: `true`, because all backups of the system respect the mark.
        @discardableResult
        package static func mark(_ folder: URL) throws(FileSystemError) -> Bool {
            var place = folder
            var values = URLResourceValues()
            values.isExcludedFromBackup = true
            do {
                guard try place.resourceValues(forKeys: [.isExcludedFromBackupKey]).isExcludedFromBackup != true
                else { return true }
                try place.setResourceValues(values)
                return true
            } catch {
                throw FileSystemError(error, at: folder)
            }
        }
    }
#else
    internal import CVitrineSystem

    /// Exclusion of a folder from backups on Linux by a [cache directory tag](https://bford.info/cachedir/), which
    /// `tar`, `borg`, `restic` and others obey, and by the extended file attribute `user.xdg.robots.backup` of
    /// freedesktop.org.
    package enum BackupExclusion {
        /// Name of the tag's file in the excluded folder.
        package static let tagName = "CACHEDIR.TAG"
        private static let attribute = "user.xdg.robots.backup"
        private static let signature = "Signature: 8a477f597d28d172789f06886806bc55"
        private static let excluded = "false"

        /// Marks a folder as excluded from backups, unless it is marked already. On a file system without extended
        /// attributes, only the tag file is written.
        ///
        /// - Returns: `false` if the file system has no extended attributes.
        @discardableResult
        package static func mark(_ folder: URL) throws(FileSystemError) -> Bool {
            try writeTag(folder.appending(component: tagName))
            return try setAttribute(of: folder)
        }

        private static func writeTag(_ file: URL) throws(FileSystemError) {
            if let status = try Tree.status(of: file) {
                if status.kind == .file, try isTag(file) { return }
                guard status.kind != .folder else {
                    throw FileSystemError(.obstructed, at: file, reason: "must be a file, but is a folder")
                }
                try Tree.remove(file)
            }
            let text = """
                \(signature)
                # The files in this folder can be downloaded or made again, and are excluded from backups.
                # See https://bford.info/cachedir/

                """
            try FileBlocks.write(file) { (write) throws(FileSystemError) in try write(Data(text.utf8)) }
            try Tree.sync(file.deletingLastPathComponent())
        }

        private static func isTag(_ file: URL) throws(FileSystemError) -> Bool {
            try BoundedFile.read(file, limit: signature.utf8.count).starts(with: signature.utf8)
        }

        /// Sets the attribute that excludes a folder from backups.
        ///
        /// - Returns: `false` if the file system has no extended attributes.
        private static func setAttribute(of folder: URL) throws(FileSystemError) -> Bool {
            let path = folder.systemPath
            var value = [CChar](repeating: 0, count: excluded.utf8.count)
            let length = vitrine_get_attribute(path, attribute, &value, value.count)
            if length == excluded.utf8.count, value.map(UInt8.init(bitPattern:)) == Array(excluded.utf8) { return true }
            if vitrine_set_attribute(path, attribute, excluded, excluded.utf8.count) == 0 { return true }
            guard errno == ENOTSUP else { throw FileSystemError(lastAt: folder) }
            return false
        }

        private typealias Tree = FolderTree<FileSystemError>
    }
#endif
