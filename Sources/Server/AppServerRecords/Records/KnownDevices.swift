internal import Foundation
internal import VitrineSupport

/// Cache of devices that have recently made requests, by the SHA-256 digests of their tokens.
final class KnownDevices: Sendable {
    /// Time in seconds for which a device is cached.
    private static let validity: TimeInterval = 5
    private static let capacity = 50_000

    private let devices = Locked<[Data: (device: EnrolledDevice, until: Date)]>([:])

    func device(_ token: Data, at date: Date) -> EnrolledDevice? {
        guard let entry = devices.withLock({ $0[token] }), date < entry.until else { return nil }
        return entry.device
    }

    func remember(_ device: EnrolledDevice, _ token: Data, until end: Date, at date: Date) {
        devices.withLock { devices in
            if devices.count >= Self.capacity { devices = [:] }
            devices[token] = (device, min(end, date + Self.validity))
        }
    }

    func forget() { devices.withLock { $0 = [:] } }
}
