package import Foundation

/// Error of the last failed system call.
package enum SystemError {
    /// The current `errno` as an error. Must be read directly after the failed call.
    package static var last: NSError { NSError(domain: NSPOSIXErrorDomain, code: Int(errno)) }
}
