package import Foundation
internal import SystemPackage

/// Type, length, permissions and identity of a file or folder.
package struct FileStatus: Sendable {
    package enum Kind: Sendable, Hashable {
        case file, folder, link, other
    }

    package struct Owner: Sendable {
        package let user: uid_t
        package let group: gid_t
    }

    /// Identity of a file or folder, different from that of another one at the same path. Unique as long as the file or
    /// folder is open.
    package struct Identity: Hashable, Sendable {
        fileprivate let device: UInt64
        fileprivate let number: UInt64
    }

    package let kind: Kind
    /// In bytes.
    package let length: Int
    package let permissions: mode_t
    package let owner: Owner
    package let identity: Identity

    package var isRegularFile: Bool { kind == .file }
    /// `true` if the owner may execute the file.
    package var isExecutable: Bool { permissions & S_IXUSR != 0 }

    /// Status of a file or folder, links followed.
    ///
    /// - Returns: `nil` if there is none, or it cannot be accessed.
    package init?(_ url: URL) {
        guard let status = try? Stat(FilePath(url.systemPath)) else { return nil }
        self.init(status)
    }

    /// - Returns: Status of a file, folder or link itself; `nil` if there is none.
    init?(unfollowed url: URL) throws(FileSystemError) {
        do {
            self.init(try Stat(FilePath(url.systemPath), followTargetSymlink: false))
        } catch {
            guard [.noSuchFileOrDirectory, .notDirectory, .tooManySymbolicLinkLevels].contains(error) else {
                throw FileSystemError(error, at: url)
            }
            return nil
        }
    }

    private init(_ status: Stat) {
        kind =
            switch status.type {
            case .regular: .file
            case .directory: .folder
            case .symbolicLink: .link
            default: .other
            }
        length = Int(clamping: status.size)
        permissions = status.permissions.rawValue
        owner = Owner(user: status.userID.rawValue, group: status.groupID.rawValue)
        identity = Identity(
            device: UInt64(truncatingIfNeeded: status.deviceID.rawValue),
            number: UInt64(truncatingIfNeeded: status.inode.rawValue))
    }
}
