internal import VitrineFileSystem

/// Number of connections that a server accepts at the same time. Further ones wait until others end.
package enum ConnectionLimit {
    /// Number of files that a process opens besides its connections. A process that cannot open them may be ended by
    /// the libraries of the system: libdispatch must be able to look at its threads.
    private static let reserve = 64

    /// Number of connections for the number of files that this process may have open now.
    package static var present: Int { max(OpenFiles.limit - reserve, 1) }
}
