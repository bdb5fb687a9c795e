internal import Foundation
internal import ProductCatalog

/// Reads and writes files block by block, and follows no link.
enum FileBlocks {
    private static let blockSize = 1024 * 1024

    /// Passes on the blocks of a regular file, one after the other.
    static func read(_ url: URL, _ body: (Data) throws(ContentError) -> Void) throws(ContentError) {
        // Without O_NONBLOCK, opening a pipe that has taken the file's place would wait for ever.
        let descriptor = open(url.systemPath, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else { throw ContentError(lastAt: url) }
        let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw ContentError(lastAt: url) }
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw ContentError(code: .invalidPackage, reason: "\(url.relativePath) is not a regular file")
        }
        while true {
            try ContentError.checkCancellation()
            let block: Data
            do {
                guard let next = try file.read(upToCount: blockSize), !next.isEmpty else { return }
                block = next
            } catch {
                throw ContentError(code: .storage, reason: "\(url.relativePath): \(BoundedFile.reason(for: error))")
            }
            try body(block)
        }
    }

    /// Writes a new file and syncs it.
    ///
    /// - Parameter body: Calls its argument with each block.
    static func write(
        _ url: URL, _ body: ((Data) throws(ContentError) -> Void) throws(ContentError) -> Void
    ) throws(ContentError) {
        let file = try NewFile(url)
        try body { (block) throws(ContentError) in try file.write(block) }
        try file.finish()
    }
}

extension ContentError {
    /// - Throws: `cancelled` where the task that installs was cancelled.
    static func checkCancellation() throws(ContentError) {
        guard !Task.isCancelled else { throw ContentError(code: .cancelled, reason: "the installation was cancelled") }
    }
}
