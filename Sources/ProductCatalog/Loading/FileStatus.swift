package import Foundation

/// Status of a file. Symbolic links are followed.
package struct FileStatus: Sendable {
    /// `true` for a regular file, `false` for a folder, device or pipe.
    package let isRegularFile: Bool
    /// Attributes for a file that replaces this one.
    package let attributes: DurableFile.Attributes

    /// - Returns: `nil` if the file does not exist or is not accessible.
    package init?(_ url: URL) {
        var status = stat()
        guard stat(url.systemPath, &status) == 0 else { return nil }
        isRegularFile = status.st_mode & S_IFMT == S_IFREG
        attributes = DurableFile.Attributes(
            permissions: status.st_mode & 0o7777, owner: (status.st_uid, status.st_gid))
    }
}
