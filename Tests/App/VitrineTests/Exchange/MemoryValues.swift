import Foundation
import Synchronization
import Vitrine

/// A key-value store in memory, as iCloud's is on each device.
final class MemoryValues: KeyValueStorage {
    private let stored = Mutex<[String: Data]>([:])

    var all: [String: Data] {
        get { stored.withLock { $0 } }
        set { stored.withLock { $0 = newValue } }
    }

    func values() -> [String: Data] { all }

    func store(_ value: Data, for key: String) { stored.withLock { $0[key] = value } }
}
