internal import Synchronization

/// A value that is accessed by one thread at a time.
///
/// A `Mutex` that is never inlined. Where `Mutex.withLock` is inlined into an async function, an optimized build of
/// Swift 6.3 for Linux keeps the address of the thread's identifier across suspensions. Another thread that resumes the
/// function then locks with the identifier of the first thread; if a third thread waits for the lock, unlocking
/// terminates the process.
package struct Locked<Value: ~Copyable>: ~Copyable, Sendable {
    private let mutex: Mutex<Value>

    package init(_ value: consuming sending Value) { mutex = Mutex(value) }

    /// Calls a function with exclusive access to the protected value.
    @inline(never)
    package borrowing func withLock<Result: ~Copyable, Failure: Error>(
        _ body: (inout sending Value) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
        try mutex.withLock(body)
    }
}
