#if os(Linux)
    internal import CVitrineSystem

    /// Memory of the process.
    package enum ProcessMemory {
        /// Lets all threads allocate from one part of the memory, for a process that ends soon.
        ///
        /// By default, glibc gives each thread a part of its own, which grows page by page, with a system call for each
        /// page: in a start of the tool a tenth of the processor time. If glibc refuses, its default remains.
        package static func share() { _ = vitrine_share_memory() }
    }
#endif
