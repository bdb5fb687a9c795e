internal import CVitrineSystem

/// System limit for the number of open files and connections of a process.
package enum OpenFiles {
    /// Current maximum number of open files and connections of this process.
    package static var limit: Int { Int(clamping: vitrine_open_file_limit()) }

    /// Raises the limit to the maximum for this process, because a server with thousands of connections needs more than
    /// the usual 1,024.
    package static func permitAll() { vitrine_raise_open_file_limit() }
}
