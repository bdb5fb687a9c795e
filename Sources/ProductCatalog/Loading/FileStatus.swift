package import Foundation

/// What the system says about a file, links followed.
package struct FileStatus: Sendable {
    /// It is a file, and no folder, device or pipe.
    package let isRegularFile: Bool
    /// What a file keeps that takes its place.
    package let attributes: DurableFile.Attributes

    /// - Returns: `nil` where there is none, or nobody may look.
    package init?(_ url: URL) {
        var status = stat()
        guard stat(url.systemPath, &status) == 0 else { return nil }
        isRegularFile = status.st_mode & S_IFMT == S_IFREG
        attributes = DurableFile.Attributes(
            permissions: status.st_mode & 0o7777, owner: (status.st_uid, status.st_gid))
    }
}
