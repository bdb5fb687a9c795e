internal import Foundation

/// Number of connections that a server accepts at the same time. Further ones wait until others end.
enum ConnectionLimit {
    /// Number of files that a process opens besides its connections. A process that cannot open them may be ended by
    /// the libraries of the system: libdispatch must be able to look at its threads.
    private static let reserve: UInt64 = 64

    /// Number of connections for the number of files that this process may have open now.
    static var present: Int {
        var limit = rlimit()
        #if canImport(Glibc)
            let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        #else
            let resource = RLIMIT_NOFILE
        #endif
        guard getrlimit(resource, &limit) == 0, UInt64(limit.rlim_cur) > reserve else { return 1 }
        return Int(clamping: UInt64(limit.rlim_cur) - reserve)
    }
}
