internal import CVitrineSystem
package import Foundation
internal import SystemPackage

/// Functions that create, inspect, exchange and remove folders. They do not follow a link in the last component of a
/// path.
///
/// The functions throw the error type of the calling module, which is created from a ``FileSystemError``.
package enum FolderTree<Failure: FileSystemFailure> {
    /// Returns the status of a file, folder or link, without following the link; `nil` if the path does not exist.
    package static func status(of url: URL) throws(Failure) -> FileStatus? {
        do throws(FileSystemError) {
            return try FileStatus(unfollowed: url)
        } catch {
            throw Failure(error)
        }
    }

    /// Returns the names of the files and folders in a folder, sorted.
    ///
    /// - Throws: `notFound` if the folder does not exist, `unusable` if a name is not UTF-8 or there are more than
    ///   `most` names.
    package static func names(in folder: URL, most: Int = .max) throws(Failure) -> [String] {
        guard let names = try namesIfPresent(in: folder, most: most) else {
            throw failure(.notFound, folder, "there is no such folder")
        }
        return names
    }

    /// Returns the sorted names of the files and folders in a folder; `nil` if the folder does not exist, for example
    /// because another process has removed it.
    ///
    /// - Throws: `unusable` if a name is not UTF-8 or there are more than `most` names.
    package static func namesIfPresent(in folder: URL, most: Int = .max) throws(Failure) -> [String]? {
        try names(in: folder, most: most) { (_) throws(Failure) in
            throw failure(.unusable, folder, "the folder holds a name that is not UTF-8")
        }
    }

    /// Returns the sorted names of the files and folders in a folder, and those that are not UTF-8 with their bytes
    /// beyond ASCII as `\xE9`. A file cannot be opened by such a name.
    ///
    /// - Throws: `notFound` if the folder does not exist.
    package static func namesOfAll(in folder: URL) throws(Failure) -> (names: [String], undecodable: [String]) {
        var undecodable: [String] = []
        let found = try names(in: folder, most: .max) { (bytes) throws(Failure) in
            undecodable.append(String(escapingName: bytes))
        }
        guard let found else { throw failure(.notFound, folder, "there is no such folder") }
        return (found, undecodable.sorted())
    }

    /// Returns the sorted names in a folder, `nil` if it does not exist, and calls a function with the bytes of each name
    /// that is not UTF-8.
    private static func names(
        in folder: URL, most: Int, undecodable: (_ name: [UInt8]) throws(Failure) -> Void
    ) throws(Failure) -> [String]? {
        guard let stream = opendir(folder.systemPath) else {
            guard errno == ENOENT || errno == ENOTDIR else { throw last(folder) }
            return nil
        }
        defer { closedir(stream) }
        var names: [String] = []
        while true {
            errno = 0
            guard let entry = readdir(stream), let bytes = vitrine_entry_name(entry) else {
                guard errno == 0 else { throw last(folder) }
                return names.sorted()
            }
            guard let name = String(validatingCString: bytes) else {
                try undecodable(UnsafeBufferPointer(start: bytes, count: strlen(bytes)).map(UInt8.init(bitPattern:)))
                continue
            }
            if name != ".", name != ".." { names.append(name) }
            guard names.count <= most else {
                throw failure(.unusable, folder, "the folder holds more than \(most) files and folders")
            }
        }
    }

    /// Returns the total length of all files below a folder, in bytes. Returns 0 if the folder does not exist.
    package static func size(of folder: URL) throws(Failure) -> Int {
        var size = 0
        for name in try namesIfPresent(in: folder) ?? [] {
            let url = folder.appending(component: name)
            guard let status = try status(of: url) else { continue }
            switch status.kind {
            case .file: size += status.length
            case .folder: size += try self.size(of: url)
            case .link, .other: break
            }
        }
        return size
    }

    /// Returns the date on which a file or folder was last modified.
    package static func modificationDate(of url: URL) throws(Failure) -> Date {
        do {
            let attributes = try FileManager.default.attributesOfItem(atPath: url.systemPath)
            return attributes[.modificationDate] as? Date ?? .distantPast
        } catch {
            throw Failure(FileSystemError(error, at: url))
        }
    }

    package static func setModificationDate(_ date: Date, of url: URL) throws(Failure) {
        do {
            try FileManager.default.setAttributes([.modificationDate: date], ofItemAtPath: url.systemPath)
        } catch {
            throw Failure(FileSystemError(error, at: url))
        }
    }

    /// Checks that a volume has enough free space, if the system reports the free space.
    ///
    /// - Throws: A failure with `Errno.noSpace` if `count` more bytes do not fit.
    package static func checkSpace(for count: Int, in folder: URL) throws(Failure) {
        guard let free = freeSpace(at: folder), count > free else { return }
        let reason = "\(count - free) more bytes of storage are needed than are free"
        throw Failure(FileSystemError(.noSpace, at: folder, reason: reason))
    }

    /// Returns the number of bytes that can still be written to the volume of a folder; `nil` if the number is unknown.
    ///
    /// On iOS, macOS and visionOS this includes what the system makes free when an app needs it. The project's continuous
    /// integration does not run this part, because it runs on Linux.
    package static func freeSpace(at folder: URL) -> Int? {
        var status = statvfs()
        guard statvfs(folder.systemPath, &status) == 0 else { return nil }
        let (bytes, overflows) = Int(clamping: status.f_bavail)
            .multipliedReportingOverflow(by: Int(clamping: status.f_frsize))
        guard !overflows else { return nil }
        #if os(iOS) || os(macOS) || os(visionOS)
            var place = folder
            // A URL remembers the values that were read from it earlier.
            place.removeAllCachedResourceValues()
            let values = try? place.resourceValues(forKeys: [.volumeAvailableCapacityForImportantUsageKey])
            return max(bytes, Int(clamping: values?.volumeAvailableCapacityForImportantUsage ?? 0))
        #else
            return bytes
        #endif
    }

    // MARK: Changes

    /// Creates a folder, unless a folder exists at the path already.
    package static func makeFolder(_ url: URL) throws(Failure) {
        if mkdir(url.systemPath, 0o755) == 0 { return }
        guard errno == EEXIST else { throw last(url) }
        guard try status(of: url)?.kind == .folder else {
            throw failure(.obstructed, url, "there is a file or link where the folder is to be created")
        }
    }

    /// Removes a file, a link, or a folder with its content. Does nothing if the path does not exist.
    package static func remove(_ url: URL) throws(Failure) {
        guard let kind = try status(of: url)?.kind else { return }
        guard kind == .folder else {
            guard unlink(url.systemPath) == 0 || errno == ENOENT else { throw last(url) }
            return
        }
        for name in try namesIfPresent(in: url) ?? [] { try remove(url.appending(component: name)) }
        guard rmdir(url.systemPath) == 0 || errno == ENOENT else { throw last(url) }
    }

    /// Removes all files and folders in a folder, except those with the given names.
    package static func remove(allBut retained: Set<String>, in folder: URL) throws(Failure) {
        for name in try namesIfPresent(in: folder) ?? [] where !retained.contains(name) {
            try remove(folder.appending(component: name))
        }
    }

    package static func removeFolderIfEmpty(_ url: URL) throws(Failure) {
        guard rmdir(url.systemPath) == 0 || [ENOENT, ENOTEMPTY, EEXIST].contains(errno) else { throw last(url) }
    }

    /// Moves a file or folder to an unused path.
    package static func move(_ folder: URL, to place: URL) throws(Failure) {
        guard rename(folder.systemPath, place.systemPath) == 0 else { throw last(folder) }
    }

    /// Moves a file to a path, replaces an existing file there, and syncs the folder.
    package static func replace(_ place: URL, with file: URL) throws(Failure) {
        guard rename(file.systemPath, place.systemPath) == 0 else { throw last(place) }
        try sync(place.deletingLastPathComponent())
    }

    /// Moves a folder to a path, or exchanges it with the folder there in one step. On a file system that cannot
    /// exchange folders, the path does not exist for a moment.
    ///
    /// - Parameter aside: Function that returns a free path on the same volume. The existing folder is moved there if
    ///   the two folders cannot be exchanged.
    package static func place(_ folder: URL, at place: URL, aside: () throws(Failure) -> URL) throws(Failure) {
        let (from, to) = (folder.systemPath, place.systemPath)
        guard try status(of: place) != nil else {
            guard rename(from, to) == 0 else { throw last(place) }
            return
        }
        if vitrine_exchange(from, to) == 0 { return }
        guard [EINVAL, ENOSYS, ENOTSUP].contains(errno) else { throw last(place) }
        let aside = try aside()
        guard rename(to, aside.systemPath) == 0 else { throw last(place) }
        guard rename(from, to) == 0 else { throw last(place) }
    }

    package static func sync(_ folder: URL) throws(Failure) {
        do throws(FileSystemError) {
            try DurableFile.syncFolder(folder)
        } catch {
            throw Failure(error)
        }
    }

    /// Locks a folder without waiting.
    ///
    /// - Returns: `nil` if the folder is locked already.
    package static func lockIfFree(_ folder: URL) throws(Failure) -> FolderLock? {
        do throws(FileSystemError) {
            return try FolderLock.ifFree(folder)
        } catch {
            throw Failure(error)
        }
    }

    private static func last(_ url: URL) -> Failure { Failure(FileSystemError(lastAt: url)) }

    private static func failure(_ kind: FileSystemError.Kind, _ url: URL, _ reason: String) -> Failure {
        Failure(FileSystemError(kind, at: url, reason: reason))
    }
}

extension String {
    /// Creates the text of a name that is not UTF-8, with its bytes beyond ASCII as `\xE9`.
    package init(escapingName bytes: [UInt8]) {
        self = bytes.map { $0 < 0x80 ? String(UnicodeScalar($0)) : "\\x" + String($0, radix: 16, uppercase: true) }
            .joined()
    }
}
