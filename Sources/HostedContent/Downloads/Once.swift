internal import Locking

/// Says yes once.
final class Once: Sendable {
    private let isOver = Locked(false)

    func first() -> Bool {
        isOver.withLock { isOver in
            defer { isOver = true }
            return !isOver
        }
    }
}
