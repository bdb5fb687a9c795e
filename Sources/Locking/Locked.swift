internal import Synchronization

/// A value that one thread at a time looks at.
///
/// It is a `Mutex` that is never inlined. Where `Mutex.withLock` is inlined into an async function, an optimized build of
/// Swift 6.3 for Linux keeps the address at which the thread has its own number across suspensions. Another thread that
/// goes on then locks under the number of the first, and where anybody waits for the lock, unlocking ends the process.
package struct Locked<Value: ~Copyable>: ~Copyable, Sendable {
    private let mutex: Mutex<Value>

    package init(_ value: consuming sending Value) { mutex = Mutex(value) }

    /// Does something with the value while nobody else does.
    @inline(never)
    package borrowing func withLock<Result: ~Copyable, Failure: Error>(
        _ body: (inout sending Value) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
        try mutex.withLock(body)
    }
}
