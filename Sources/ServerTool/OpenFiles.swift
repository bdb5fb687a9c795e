import Foundation

/// Limit of the system for the number of files and connections that a process has open.
enum OpenFiles {
    /// Raises the limit to the highest one that this process may have: a server with thousands of connections needs more
    /// than the usual 1,024.
    static func permitAll() {
        var limit = rlimit()
        #if canImport(Glibc)
            let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        #else
            let resource = RLIMIT_NOFILE
        #endif
        guard getrlimit(resource, &limit) == 0 else { return }
        limit.rlim_cur = limit.rlim_max
        setrlimit(resource, &limit)
    }
}
