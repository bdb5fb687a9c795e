internal import Foundation
internal import VitrineSupport

/// Cache of devices that have recently made requests, by the SHA-256 digests of their tokens.
final class KnownDevices: Sendable {
    /// Time in seconds for which a device is cached.
    private static let validity: TimeInterval = 5
    private static let capacity = 50_000

    private struct Contents {
        var devices: [Data: (device: EnrolledDevice, until: Date)] = [:]
        /// Number of times that all devices were forgotten.
        var generation = 0
    }

    private let contents = Locked(Contents())

    /// Number that changes when devices are forgotten, to be read before a device is read from the database.
    var generation: Int { contents.withLock(\.generation) }

    func device(_ token: Data, at date: Date) -> EnrolledDevice? {
        guard let entry = contents.withLock({ $0.devices[token] }), date < entry.until else { return nil }
        return entry.device
    }

    /// Caches a device, unless devices were forgotten since it was read: it may have left.
    func remember(_ device: EnrolledDevice, _ token: Data, until end: Date, at date: Date, generation: Int) {
        contents.withLock { contents in
            guard contents.generation == generation else { return }
            if contents.devices.count >= Self.capacity { contents.devices = [:] }
            contents.devices[token] = (device, min(end, date + Self.validity))
        }
    }

    func forget() {
        contents.withLock { contents in
            contents.devices = [:]
            contents.generation += 1
        }
    }
}
