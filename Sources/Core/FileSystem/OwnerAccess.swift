package import Foundation

/// Access to files and folders with customers' data, which belongs to their owner alone: signed data of the store is
/// enough to claim somebody's purchases.
package enum OwnerAccess {
    /// Permissions of a new folder.
    package static let folder = 0o700
    /// Permissions of a new file.
    package static let file: mode_t = 0o600

    /// Removes the permissions of all other users from a file or folder of this user. Nothing happens if it does not
    /// exist or belongs to another user, and on a volume that is read-only or has no permissions: its data must stay
    /// readable for its owner there.
    package static func restrict(_ url: URL) {
        guard let status = FileStatus(url), status.owner.user == geteuid(), status.permissions & 0o077 != 0 else {
            return
        }
        chmod(url.systemPath, status.permissions & ~0o077)
    }

    /// Creates an empty file that only its owner can use, unless it exists; an existing file is restricted. A failure
    /// is left to whatever opens the file next, which describes it better.
    ///
    /// SQLite gives the files beside a database the permissions of the database.
    package static func createFile(_ url: URL) {
        // Only a new file is opened: closing another descriptor of a database in use would release its locks.
        do throws(FileSystemError) {
            _ = try NewFile<FileSystemError>(url, permissions: file)
        } catch {
            restrict(url)
        }
    }
}
