internal import Synchronization

/// Value that one thread at a time can access.
///
/// This is a `Mutex` whose `withLock` is never inlined. If `Mutex.withLock` is inlined into an async function, an
/// optimized build of Swift 6.3 for Linux keeps the address of the thread's identifier across suspensions. Another
/// thread that resumes the function then locks with the identifier of the first thread, and if a thread waits for the
/// lock, unlocking terminates the process.
package struct Locked<Value: ~Copyable>: ~Copyable, Sendable {
    private let mutex: Mutex<Value>

    package init(_ value: consuming sending Value) { mutex = Mutex(value) }

    /// Runs a function with exclusive access to the value.
    @inline(never)
    package borrowing func withLock<Result: ~Copyable, Failure: Error>(
        _ body: (inout sending Value) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
        try mutex.withLock(body)
    }
}
