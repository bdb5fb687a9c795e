package import Foundation

/// Writes whole files so that after a crash there is the old one or the new one, and nothing in between.
package enum DurableFile {
    /// Writes a temporary file beside the target, syncs it, renames it into place and syncs the folder.
    package static func write(_ data: Data, to url: URL) throws {
        let temporary = url.deletingLastPathComponent()
            .appending(path: ".\(url.lastPathComponent).\(UUID().uuidString)", directoryHint: .notDirectory)
        do {
            try writeAndSync(data, to: temporary)
            guard rename(temporary.systemPath, url.systemPath) == 0 else {
                throw SystemError.last
            }
        } catch {
            unlink(temporary.systemPath)
            throw error
        }
        try syncFolder(url.deletingLastPathComponent())
    }

    private static func writeAndSync(_ data: Data, to url: URL) throws {
        let descriptor = open(url.systemPath, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else { throw SystemError.last }
        let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
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
