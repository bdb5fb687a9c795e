package import Foundation
import Synchronization

/// Clock that is stopped until a test moves it.
package final class TestClock: Sendable {
    private let current: Mutex<Date>

    package init(_ date: Date = Date(timeIntervalSince1970: 1_790_000_000)) { current = Mutex(date) }

    package var now: Date { current.withLock { $0 } }

    package func advance(by interval: TimeInterval) { current.withLock { $0 += interval } }
}
