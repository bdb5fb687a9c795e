#if canImport(Darwin)
    internal import os
#else
    public import Synchronization
#endif

/// A value that is accessed by one thread at a time.
///
/// On Linux it is a `Mutex` that is never inlined. Where `Mutex.withLock` is inlined into an async function, an
/// optimized build of Swift 6.3 for Linux keeps the address of the thread's identifier across suspensions. Another
/// thread that resumes the function then locks with the identifier of the first thread; if a third thread waits for the
/// lock, unlocking terminates the process. Apple's platforms have `Mutex` from iOS 18 on, and `OSAllocatedUnfairLock`
/// from iOS 16 on.
///
/// The type is public for the same reason as ``GroupCommit``.
public struct Locked<Value>: ~Copyable, Sendable {
    #if canImport(Darwin)
        private let storage: Storage

        /// `@unchecked Sendable`, because the value is only accessed while the lock is held.
        private final class Storage: @unchecked Sendable {
            let lock = OSAllocatedUnfairLock()
            var value: Value

            init(_ value: consuming sending Value) { self.value = value }
        }

        @usableFromInline package init(_ value: consuming sending Value) { storage = Storage(value) }

        /// Calls a function with exclusive access to the protected value.
        @usableFromInline
        package borrowing func withLock<Result: ~Copyable, Failure: Error>(
            _ body: (inout sending Value) throws(Failure) -> sending Result
        ) throws(Failure) -> sending Result {
            storage.lock.lock()
            defer { storage.lock.unlock() }
            return try body(&storage.value)
        }
    #else
        @usableFromInline let mutex: Mutex<Value>

        @inlinable package init(_ value: consuming sending Value) { mutex = Mutex(value) }

        /// Calls a function with exclusive access to the protected value.
        @inlinable @inline(never)
        package borrowing func withLock<Result: ~Copyable, Failure: Error>(
            _ body: (inout sending Value) throws(Failure) -> sending Result
        ) throws(Failure) -> sending Result {
            try mutex.withLock(body)
        }
    #endif
}
