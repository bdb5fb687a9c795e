// Declared from the public documentation; not code of Apple. Only what the project uses. Never compiled by the package:
// Scripts/check-apple compiles sources against it.

public struct OSAllocatedUnfairLock<State>: @unchecked Sendable {
    public func lock() where State == () { fatalError() }

    public func unlock() where State == () { fatalError() }
}

extension OSAllocatedUnfairLock where State == () {
    public init() {}
}
