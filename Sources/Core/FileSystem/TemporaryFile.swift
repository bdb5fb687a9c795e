internal import Foundation
internal import SystemPackage

/// Temporary file beside a target. It replaces the target when it is complete. The file is locked while it is being
/// written, so that other processes can recognize the file of a killed process.
struct TemporaryFile {
    let url: URL
    private let handle: FileHandle

    /// Creates an empty file with at most the permissions of the target.
    ///
    /// - Parameters:
    ///   - target: File to be replaced.
    ///   - permissions: Permissions of the target.
    init(of target: URL, permissions: mode_t) throws(FileSystemError) {
        while true {
            let url = target.deletingLastPathComponent()
                .appending(path: Self.prefix(of: target) + UUID().uuidString, directoryHint: .notDirectory)
            let descriptor = open(
                url.systemPath, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, permissions & 0o644)
            guard descriptor >= 0 else { throw FileSystemError(lastAt: url) }
            let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
            guard Self.isOurs(handle) else { continue }
            (self.url, self.handle) = (url, handle)
            return
        }
    }

    /// Locks a newly created file.
    ///
    /// - Returns: `false` if another process has found the file before it was locked, and is therefore removing it.
    private static func isOurs(_ file: FileHandle) -> Bool {
        // On a file system without locks, no process removes the file.
        guard flock(file.fileDescriptor, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK else { return false }
        var status = stat()
        return fstat(file.fileDescriptor, &status) == 0 && status.st_nlink > 0
    }

    /// Writes the content and syncs the file.
    func write(_ data: Data, permissions: mode_t, owner: FileStatus.Owner?) throws(FileSystemError) {
        if let owner {
            guard fchown(handle.fileDescriptor, owner.user, owner.group) == 0,
                fchmod(handle.fileDescriptor, permissions) == 0
            else { throw FileSystemError(lastAt: url) }
        }
        do {
            try handle.write(contentsOf: data)
            try handle.synchronize()
        } catch {
            throw FileSystemError(error, at: url)
        }
    }

    // MARK: Abandoned files

    private static func prefix(of target: URL) -> String { ".\(target.lastPathComponent)." }

    /// Returns `true` if a file name belongs to a temporary file of a target.
    static func isName(_ name: String, of target: URL) -> Bool {
        let prefix = prefix(of: target)
        return name.hasPrefix(prefix) && UUID(uuidString: String(name.dropFirst(prefix.count))) != nil
    }

    /// Removes a temporary file, unless it is locked by the process that is writing it.
    static func removeIfAbandoned(_ file: URL) {
        let descriptor = open(file.systemPath, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
            flock(descriptor, LOCK_EX | LOCK_NB) == 0
        else { return }
        unlink(file.systemPath)
    }
}
