package import Foundation

extension URL {
    /// The path as system calls take it. It has no slash at its end, with which they would follow a link.
    package var systemPath: String {
        let path = path(percentEncoded: false)
        return path.count > 1 && path.utf8.last == UInt8(ascii: "/") ? String(path.dropLast()) : path
    }
}
