package import Foundation
internal import SystemPackage

/// Writes whole files so that a crash leaves either the old file or the new one.
package enum DurableFile {
    /// Writes a temporary file beside the target, syncs it, renames it to the target's name and syncs the folder.
    ///
    /// - Parameter replaced: Status of the file that is replaced, whose permissions and owner the new one gets.
    package static func write(_ data: Data, to url: URL, like replaced: FileStatus? = nil) throws(FileSystemError) {
        let temporary = url.deletingLastPathComponent()
            .appending(path: ".\(url.lastPathComponent).\(UUID().uuidString)", directoryHint: .notDirectory)
        do throws(FileSystemError) {
            try writeAndSync(data, to: temporary, permissions: replaced?.permissions ?? 0o644, owner: replaced?.owner)
            guard rename(temporary.systemPath, url.systemPath) == 0 else { throw FileSystemError(lastAt: url) }
        } catch {
            unlink(temporary.systemPath)
            throw error
        }
        try syncFolder(url.deletingLastPathComponent())
    }

    /// Creates a file and syncs it and the folder. An existing file or link stays unchanged.
    ///
    /// - Throws: ``FileSystemError``, with `Errno.fileExists` if there is a file or a link already.
    package static func create(_ data: Data, at url: URL, permissions: mode_t) throws(FileSystemError) {
        do throws(FileSystemError) {
            try writeAndSync(data, to: url, permissions: permissions, owner: nil)
        } catch {
            if error.errno != .fileExists { unlink(url.systemPath) }
            throw error
        }
        try syncFolder(url.deletingLastPathComponent())
    }

    /// Creates an empty file that marks something by its presence. A mark that exists already stays.
    package static func mark(_ url: URL) throws(FileSystemError) {
        do throws(FileSystemError) {
            try create(Data(), at: url, permissions: 0o644)
        } catch {
            guard error.errno == .fileExists else { throw error }
        }
    }

    private static func writeAndSync(
        _ data: Data, to url: URL, permissions: mode_t, owner: FileStatus.Owner?
    ) throws(FileSystemError) {
        // The new file is never readable for more users than the file that it replaces.
        let descriptor = open(url.systemPath, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, permissions & 0o644)
        guard descriptor >= 0 else { throw FileSystemError(lastAt: url) }
        let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        if let owner {
            guard fchown(descriptor, owner.user, owner.group) == 0, fchmod(descriptor, permissions) == 0
            else { throw FileSystemError(lastAt: url) }
        }
        do {
            try file.write(contentsOf: data)
            try file.synchronize()
            try file.close()
        } catch {
            throw FileSystemError(error, at: url)
        }
    }

    /// Makes creations, renames and removals in a folder durable.
    package static func syncFolder(_ url: URL) throws(FileSystemError) {
        let descriptor = open(url.systemPath, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw FileSystemError(lastAt: url) }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw FileSystemError(lastAt: url) }
    }
}
