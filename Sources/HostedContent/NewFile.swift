internal import Foundation
internal import ProductCatalog

/// A file that is made and written block by block.
struct NewFile {
    private let url: URL
    private let handle: FileHandle

    /// - Parameters:
    ///   - url: A place where there is nothing, be it a link.
    ///   - permissions: At most; the process may be made to give fewer.
    init(_ url: URL, permissions: mode_t = 0o644) throws(ContentError) {
        let descriptor = open(url.systemPath, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, permissions)
        guard descriptor >= 0 else { throw ContentError(lastAt: url) }
        self.url = url
        handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    }

    func write(_ block: Data) throws(ContentError) {
        try mapping { try handle.write(contentsOf: block) }
    }

    /// Syncs the file and closes it.
    func finish() throws(ContentError) {
        try mapping {
            try handle.synchronize()
            try handle.close()
        }
    }

    private func mapping(_ work: () throws -> Void) throws(ContentError) {
        do {
            try work()
        } catch {
            throw ContentError(error, at: url)
        }
    }
}
