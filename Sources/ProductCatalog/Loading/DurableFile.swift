package import Foundation

/// Atomic file operations: after a crash, either the complete old file or the complete new file exists.
package enum DurableFile {
    /// Attributes that a file keeps when it is replaced.
    package struct Attributes: Sendable {
        /// Attributes of a new file.
        package static let usual = Attributes()

        var permissions: mode_t = 0o644
        /// Owner and group; `nil` for those of the process.
        var owner: (user: uid_t, group: gid_t)?

    }

    /// Writes a temporary file in the folder of the target, syncs it, renames it to the target and syncs the folder.
    package static func write(_ data: Data, to url: URL, attributes: Attributes = .usual) throws {
        let temporary = url.deletingLastPathComponent()
            .appending(path: ".\(url.lastPathComponent).\(UUID().uuidString)", directoryHint: .notDirectory)
        do {
            try writeAndSync(data, to: temporary, attributes)
            guard rename(temporary.systemPath, url.systemPath) == 0 else {
                throw SystemError.last
            }
        } catch {
            unlink(temporary.systemPath)
            throw error
        }
        try syncFolder(url.deletingLastPathComponent())
    }

    /// Creates a file and syncs the file and its folder. An existing item, including a dangling symbolic link, is not
    /// changed.
    ///
    /// - Throws: A POSIX error; `EEXIST` if an item exists already.
    package static func create(_ data: Data, at url: URL, permissions: mode_t) throws {
        do {
            try writeAndSync(data, to: url, Attributes(permissions: permissions))
        } catch {
            if (error as NSError).code != Int(EEXIST) { unlink(url.systemPath) }
            throw error
        }
        try syncFolder(url.deletingLastPathComponent())
    }

    private static func writeAndSync(_ data: Data, to url: URL, _ attributes: Attributes) throws {
        // The temporary file never has wider read permissions than the old file.
        let descriptor = open(
            url.systemPath, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, attributes.permissions & 0o644)
        guard descriptor >= 0 else { throw SystemError.last }
        let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        if let owner = attributes.owner {
            guard fchown(descriptor, owner.user, owner.group) == 0, fchmod(descriptor, attributes.permissions) == 0
            else { throw SystemError.last }
        }
        try file.write(contentsOf: data)
        try file.synchronize()
        try file.close()
    }

    /// Syncs a folder, so that files created, renamed or removed in it are durable.
    package static func syncFolder(_ url: URL) throws {
        let descriptor = open(url.systemPath, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw SystemError.last }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw SystemError.last }
    }
}
