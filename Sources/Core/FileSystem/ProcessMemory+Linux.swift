#if os(Linux)
    internal import CVitrineSystem

    /// Memory of the process.
    package enum ProcessMemory {
        /// Lets all threads allocate memory from one arena, for a process that ends soon.
        ///
        /// By default, glibc gives each thread its own arena, which grows page by page with a system call for each
        /// page. This takes a tenth of the processor time when the tool starts. If glibc rejects the setting, the
        /// default applies.
        package static func share() { _ = vitrine_share_memory() }
    }
#endif
