package import Foundation

extension URL {
    /// Path for system calls, without a trailing slash. With a trailing slash, system calls follow a symbolic link.
    package var systemPath: String {
        let path = path(percentEncoded: false)
        return path.count > 1 && path.utf8.last == UInt8(ascii: "/") ? String(path.dropLast()) : path
    }
}
