internal import Foundation
internal import ProductCatalog

/// The room on a volume.
enum FreeSpace {
    /// - Throws: ``ContentError`` `noSpace` where so many bytes more have no room beside a file. Where the system does not
    ///   say how much there is, writing finds out.
    static func check(for count: Int, at url: URL) throws(ContentError) {
        var status = statvfs()
        guard statvfs(url.systemPath, &status) == 0 else { return }
        let free = UInt64(status.f_bavail).multipliedReportingOverflow(by: UInt64(status.f_frsize))
        guard !free.overflow, count > 0, UInt64(count) > free.partialValue else { return }
        throw ContentError(
            code: .noSpace,
            reason: "\(url.relativePath): \(UInt64(count) - free.partialValue) bytes more are needed than are free")
    }
}

extension ContentError {
    /// Why something could not be written at a place.
    init(writing error: any Error, at url: URL) {
        let underlying = (error as NSError).userInfo[NSUnderlyingErrorKey] as? NSError ?? error as NSError
        // EFBIG: the file system, or a limit on the process, takes no longer file.
        let isFull =
            underlying.domain == NSPOSIXErrorDomain && [ENOSPC, EDQUOT, EFBIG].contains(Int32(underlying.code))
        self.init(
            code: isFull ? .noSpace : .storage, reason: "\(url.relativePath): \(BoundedFile.reason(for: error))")
    }
}
