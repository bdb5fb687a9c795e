package import Foundation

/// Writes whole files so that after a crash there is the old one or the new one, and nothing in between.
package enum DurableFile {
    /// What a file that is replaced keeps.
    package struct Attributes: Sendable {
        /// As of a new file.
        package static let usual = Attributes()

        var permissions: mode_t = 0o644
        /// The owner and the group; `nil` for those of the process.
        var owner: (user: uid_t, group: gid_t)?

    }

    /// Writes a temporary file beside the target, syncs it, renames it into place and syncs the folder.
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

    /// Makes a file and syncs it and the folder. What is there already, be it a link to nothing, stays as it is.
    ///
    /// - Throws: A POSIX error; `EEXIST` where there is something already.
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
        // Nobody can read more of it than of the old one, at any time.
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

    /// Makes what was created, renamed or removed in a folder durable.
    package static func syncFolder(_ url: URL) throws {
        let descriptor = open(url.systemPath, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw SystemError.last }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw SystemError.last }
    }
}
