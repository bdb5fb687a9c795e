internal import FileSystem
internal import Foundation
internal import ProductCatalog
internal import PropertyList

/// Reader of property lists that a legacy library has written: only regular files, and no larger than the limits.
enum LegacyFile {
    /// - Returns: `nil` if there is no such file.
    /// - Throws: ``UnusableValue`` if the file exists and cannot be read.
    static func propertyList(
        at url: URL, limits: PropertyListLimits = PropertyListLimits()
    ) throws(UnusableValue) -> PropertyListDocument? {
        guard let bytes = try bytes(of: url, limit: limits.size) else { return nil }
        return try propertyList(bytes, limits: limits)
    }

    static func propertyList(
        _ bytes: [UInt8], limits: PropertyListLimits
    ) throws(UnusableValue) -> PropertyListDocument {
        do {
            return try PropertyListDocument(bytes: bytes, limits: limits)
        } catch {
            throw UnusableValue(reason: error.description)
        }
    }

    private static func bytes(of url: URL, limit: Int) throws(UnusableValue) -> [UInt8]? {
        // Opening a pipe would wait for a process that writes to it.
        if let status = FileStatus(url), !status.isRegularFile { throw UnusableValue(reason: "it is not a file") }
        do {
            return Array(try BoundedFile.read(url, limit: limit))
        } catch {
            guard error.isMissing else { throw UnusableValue(reason: error.reason, mayBeReadLater: true) }
            return nil
        }
    }
}
