package import Foundation

/// What the system says about its last call that failed.
package enum SystemError {
    /// The current `errno` as an error. To be asked for right after the call.
    package static var last: NSError { NSError(domain: NSPOSIXErrorDomain, code: Int(errno)) }
}
