package import Foundation
internal import SystemPackage

/// Writes whole files durably: after a crash, either the old or the new file exists.
package enum DurableFile {
    /// Writes a temporary file beside the target, syncs it, renames it to the target's name and syncs the folder.
    /// Temporary files for the target left behind by killed processes are removed.
    ///
    /// - Parameters:
    ///   - replaced: Status of the replaced file. The new file gets the same permissions and owner.
    ///   - permissions: Permissions of the file if no status is given. Permissions beyond 644 are not granted.
    package static func write(
        _ data: Data, to url: URL, like replaced: FileStatus? = nil, permissions: mode_t = 0o644
    ) throws(FileSystemError) {
        removeAbandoned(of: url)
        let permissions = replaced?.permissions ?? permissions
        let temporary = try TemporaryFile(of: url, permissions: permissions)
        do throws(FileSystemError) {
            try temporary.write(data, permissions: permissions, owner: replaced?.owner)
            guard rename(temporary.url.systemPath, url.systemPath) == 0 else { throw FileSystemError(lastAt: url) }
        } catch {
            unlink(temporary.url.systemPath)
            throw error
        }
        try syncFolder(url.deletingLastPathComponent())
    }

    /// Removes the temporary files of a target that no process is writing any more. Files that cannot be removed
    /// remain.
    package static func removeAbandoned(of url: URL) {
        let folder = url.deletingLastPathComponent()
        let names: [String]
        do throws(FileSystemError) {
            names = try FolderTree<FileSystemError>.namesIfPresent(in: folder) ?? []
        } catch {
            return
        }
        for name in names where TemporaryFile.isName(name, of: url) {
            TemporaryFile.removeIfAbandoned(folder.appending(path: name, directoryHint: .notDirectory))
        }
    }

    /// Creates a file and syncs it and the folder. An existing file or link stays unchanged.
    ///
    /// - Throws: ``FileSystemError``, with `Errno.fileExists` if a file or link already exists.
    package static func create(_ data: Data, at url: URL, permissions: mode_t) throws(FileSystemError) {
        do throws(FileSystemError) {
            let file = try NewFile<FileSystemError>(url, permissions: permissions & 0o644)
            try file.write(data)
            try file.finish()
        } catch {
            if error.errno != .fileExists { unlink(url.systemPath) }
            throw error
        }
        try syncFolder(url.deletingLastPathComponent())
    }

    /// Creates an empty file as a marker. Does nothing if the file already exists.
    package static func mark(_ url: URL) throws(FileSystemError) {
        do throws(FileSystemError) {
            try create(Data(), at: url, permissions: 0o644)
        } catch {
            guard error.errno == .fileExists else { throw error }
        }
    }

    /// Syncs a folder, so that a power failure does not undo creations, renames and removals in it.
    package static func syncFolder(_ url: URL) throws(FileSystemError) {
        let descriptor = open(url.systemPath, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw FileSystemError(lastAt: url) }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw FileSystemError(lastAt: url) }
    }
}
