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

    /// Identity of a file or folder. A file or folder that is created later at the same path has another identity. The
    /// identity is unique as long as the file or folder is open.
    package struct Identity: Hashable, Sendable {
        fileprivate let device: UInt64
        fileprivate let number: UInt64
    }

    /// Identity and state of a file, which changes whenever the file does.
    package struct Stamp: Hashable, Sendable {
        package let identity: Identity
        package let length: Int
        /// Times of the last changes of the content and of the inode, in nanoseconds since 1970.
        package let modified, changed: Int64
    }

    package let kind: Kind
    /// Length of the file in bytes.
    package let length: Int
    package let permissions: mode_t
    package let owner: Owner
    /// Number of hard links to the file.
    package let linkCount: Int
    package let identity: Identity
    package let stamp: Stamp

    /// Number of the file or folder on its volume, which a renaming does not change.
    package var number: UInt64 { identity.number }

    package var isRegularFile: Bool { kind == .file }
    /// `true` if the owner may execute the file.
    package var isExecutable: Bool { permissions & S_IXUSR != 0 }

    /// Reads the status of a file or folder. Links are followed.
    ///
    /// - Returns: `nil` if the file or folder does not exist or cannot be accessed.
    package init?(_ url: URL) {
        guard let status = try? Stat(url.systemPath) else { return nil }
        self.init(status)
    }

    /// Reads the status of an open file.
    ///
    /// - Returns: `nil` if the descriptor is not open.
    package init?(descriptor: CInt) {
        guard let status = try? Stat(FileDescriptor(rawValue: descriptor)) else { return nil }
        self.init(status)
    }

    /// Reads the status of a file, folder or link, without following the link; returns `nil` if the path does not
    /// exist.
    init?(unfollowed url: URL) throws(FileSystemError) {
        do {
            self.init(try Stat(url.systemPath, followTargetSymlink: false))
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
        linkCount = status.linkCount
        owner = Owner(user: status.userID.rawValue, group: status.groupID.rawValue)
        identity = Identity(
            device: UInt64(truncatingIfNeeded: status.deviceID.rawValue),
            number: UInt64(truncatingIfNeeded: status.inode.rawValue))
        stamp = Stamp(
            identity: identity, length: length, modified: Self.nanoseconds(status.st_mtim),
            changed: Self.nanoseconds(status.st_ctim))
    }

    private static func nanoseconds(_ time: timespec) -> Int64 {
        Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec)
    }
}
