import VitrineCatalog
import VitrineCatalogLoading

/// Monotonic counters in memory, which a test can make fail.
package actor MemoryNumbers: MonotonicCounters {
    package struct Failure: Error, CustomStringConvertible {
        package let description = "the disk is full"
    }

    package private(set) var numbers: [String: Int64] = [:]
    /// Number of calls that advanced a counter.
    package private(set) var raises = 0
    private var isReadable = true
    private var isWritable = true

    package init() {}

    package func setReadable(_ isReadable: Bool) { self.isReadable = isReadable }

    package func setWritable(_ isWritable: Bool) { self.isWritable = isWritable }

    package func advance(_ name: String, to value: Int64) throws -> Int64 {
        guard isWritable else { throw Failure() }
        raises += 1
        let highest = max(numbers[name] ?? value, value)
        numbers[name] = highest
        return highest
    }

    package func highest(_ name: String) throws -> Int64? {
        guard isReadable else { throw Failure() }
        return numbers[name]
    }
}
