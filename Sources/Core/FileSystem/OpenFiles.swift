internal import CVitrineSystem

/// Limit of the system for the number of files and connections that a process has open.
package enum OpenFiles {
    /// Number of files and connections that this process may have open now.
    package static var limit: Int { Int(clamping: vitrine_open_file_limit()) }

    /// Raises the limit to the highest one that this process may have: a server with thousands of connections needs more
    /// than the usual 1,024.
    package static func permitAll() { vitrine_raise_open_file_limit() }
}
