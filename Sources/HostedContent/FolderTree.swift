internal import CFileSystem
internal import Foundation
internal import ProductCatalog

/// What folders are made, looked at, exchanged and removed with. Nothing here follows a link in the last name of a
/// path.
enum FolderTree {
    /// What a name stands for.
    enum Kind: Sendable, Hashable {
        case file, folder, link, other
    }

    /// - Returns: What stands at a place, its length in bytes, and whether its owner may run it; `nil` where there is
    ///   nothing.
    static func status(of url: URL) throws(ContentError) -> (kind: Kind, length: Int, isExecutable: Bool)? {
        var status = stat()
        guard lstat(url.systemPath, &status) == 0 else {
            guard [ENOENT, ENOTDIR, ELOOP].contains(errno) else { throw ContentError(lastAt: url) }
            return nil
        }
        return (Kind(status), Int(status.st_size), status.st_mode & S_IXUSR != 0)
    }

    /// What tells a folder apart from another one that stands, or stood, at the same place. It is that folder's alone as
    /// long as somebody has it open.
    struct Identity: Hashable {
        private let device: UInt64
        private let number: UInt64

        fileprivate init(_ status: stat) {
            device = UInt64(truncatingIfNeeded: status.st_dev)
            number = UInt64(truncatingIfNeeded: status.st_ino)
        }
    }

    /// - Returns: `nil` where there is nothing.
    static func identity(of url: URL) throws(ContentError) -> Identity? {
        var status = stat()
        guard lstat(url.systemPath, &status) == 0 else {
            guard [ENOENT, ENOTDIR, ELOOP].contains(errno) else { throw ContentError(lastAt: url) }
            return nil
        }
        return Identity(status)
    }

    /// The names in a folder, in a fixed order.
    ///
    /// - Throws: ``ContentError``: `notFound` where there is no such folder, `invalidPackage` where a name is not UTF-8
    ///   or there are more than `most`.
    static func names(in folder: URL, most: Int = .max) throws(ContentError) -> [String] {
        guard let stream = opendir(folder.systemPath) else {
            guard errno == ENOENT || errno == ENOTDIR else { throw ContentError(lastAt: folder) }
            throw ContentError(code: .notFound, reason: "there is no folder \(folder.relativePath)")
        }
        defer { closedir(stream) }
        var names: [String] = []
        while true {
            errno = 0
            guard let entry = readdir(stream) else {
                guard errno == 0 else { throw ContentError(lastAt: folder) }
                return names.sorted()
            }
            guard let name = String(validatingCString: vitrine_entry_name(entry)) else {
                throw ContentError(
                    code: .invalidPackage, reason: "\(folder.relativePath) holds a name that is not UTF-8")
            }
            if name != ".", name != ".." { names.append(name) }
            guard names.count <= most else {
                throw ContentError(
                    code: .invalidPackage, reason: "\(folder.relativePath) holds more than \(most) files and folders")
            }
        }
    }

    /// Makes a folder, unless there is one.
    static func makeFolder(_ url: URL) throws(ContentError) {
        if mkdir(url.systemPath, 0o755) == 0 { return }
        guard errno == EEXIST else { throw ContentError(lastAt: url) }
        guard try status(of: url)?.kind == .folder else {
            throw ContentError(code: .invalidPlace, reason: "\(url.relativePath) is not a folder")
        }
    }

    /// The length of all files below a folder, in bytes.
    static func size(of folder: URL) throws(ContentError) -> Int {
        var size = 0
        for name in try names(in: folder) {
            let place = folder.appending(component: name)
            guard let status = try status(of: place) else { continue }
            switch status.kind {
            case .file: size += status.length
            case .folder: size += try self.size(of: place)
            case .link, .other: break
            }
        }
        return size
    }

    /// Removes whatever stands at a place, with all that is in it.
    static func remove(_ url: URL) throws(ContentError) {
        guard let kind = try status(of: url)?.kind else { return }
        guard kind == .folder else {
            guard unlink(url.systemPath) == 0 || errno == ENOENT else {
                throw ContentError(lastAt: url)
            }
            return
        }
        for name in try names(in: url) { try remove(url.appending(component: name)) }
        guard rmdir(url.systemPath) == 0 || errno == ENOENT else { throw ContentError(lastAt: url) }
    }

    static func removeFolderIfEmpty(_ url: URL) throws(ContentError) {
        guard rmdir(url.systemPath) == 0 || [ENOENT, ENOTEMPTY, EEXIST].contains(errno) else {
            throw ContentError(lastAt: url)
        }
    }

    /// Moves a folder to a place where there is nothing.
    static func move(_ folder: URL, to place: URL) throws(ContentError) {
        guard rename(folder.systemPath, place.systemPath) == 0 else { throw ContentError(lastAt: folder) }
    }

    /// Moves a folder to a place where there is nothing, or changes places with what stands there. Either way the
    /// place holds the one or the other; where the file system cannot exchange, it holds nothing for a moment.
    ///
    /// - Parameter aside: Is asked where what stood at the place goes if it cannot be exchanged: on the same volume, free.
    static func place(
        _ folder: URL, at place: URL, aside: () throws(ContentError) -> URL
    ) throws(ContentError) {
        let (from, to) = (folder.systemPath, place.systemPath)
        guard try status(of: place) != nil else {
            guard rename(from, to) == 0 else { throw ContentError(lastAt: place) }
            return
        }
        if vitrine_exchange(from, to) == 0 { return }
        guard [EINVAL, ENOSYS, ENOTSUP].contains(errno) else { throw ContentError(lastAt: place) }
        let aside = try aside()
        guard rename(to, aside.systemPath) == 0 else { throw ContentError(lastAt: place) }
        guard rename(from, to) == 0 else { throw ContentError(lastAt: place) }
    }

    static func sync(_ folder: URL) throws(ContentError) {
        do {
            try DurableFile.syncFolder(folder)
        } catch {
            throw ContentError(error, at: folder)
        }
    }

    /// When what stands at a place was last changed.
    static func modificationDate(of url: URL) throws(ContentError) -> Date {
        do {
            let attributes = try FileManager.default.attributesOfItem(atPath: url.systemPath)
            return attributes[.modificationDate] as? Date ?? .distantPast
        } catch {
            throw ContentError(error, at: url)
        }
    }

    static func setModificationDate(_ date: Date, of url: URL) throws(ContentError) {
        do {
            try FileManager.default.setAttributes([.modificationDate: date], ofItemAtPath: url.systemPath)
        } catch {
            throw ContentError(error, at: url)
        }
    }

    /// Bytes that can still be written where a folder lies; `nil` where that is not known.
    static func freeSpace(at folder: URL) -> Int? {
        var status = statvfs()
        guard statvfs(folder.systemPath, &status) == 0 else { return nil }
        let (bytes, overflows) = Int(clamping: status.f_bavail)
            .multipliedReportingOverflow(by: Int(clamping: status.f_frsize))
        return overflows ? nil : bytes
    }

    /// Where the system does not say how much room there is, writing finds out.
    ///
    /// - Throws: ``ContentError``: `noSpace` where so many bytes more do not fit.
    static func checkSpace(for count: Int, in folder: URL) throws(ContentError) {
        guard let free = freeSpace(at: folder), count > free else { return }
        throw ContentError(
            code: .noSpace, reason: "\(folder.relativePath): \(count - free) bytes more are needed than are free")
    }
}

extension FolderTree.Kind {
    fileprivate init(_ status: stat) {
        self =
            switch status.st_mode & S_IFMT {
            case S_IFREG: .file
            case S_IFDIR: .folder
            case S_IFLNK: .link
            default: .other
            }
    }
}

extension ContentError {
    /// What the system says about its last call, which failed at a place.
    init(lastAt url: URL) { self.init(SystemError.last, at: url) }

    /// What the system says about a place.
    init(_ error: any Error, at url: URL) {
        self.init(
            code: Self.isAboutSpace(error) ? .noSpace : .storage,
            reason: "\(url.relativePath): \(BoundedFile.reason(for: error))")
    }

    /// The volume is full, or what its user may have of it, or takes no file as long.
    private static func isAboutSpace(_ error: any Error) -> Bool {
        let error = error as NSError
        let underlying = error.userInfo[NSUnderlyingErrorKey] as? NSError ?? error
        return underlying.domain == NSPOSIXErrorDomain && [ENOSPC, EDQUOT, EFBIG].contains(Int32(underlying.code))
            || error.domain == NSCocoaErrorDomain && error.code == CocoaError.fileWriteOutOfSpace.rawValue
    }
}
