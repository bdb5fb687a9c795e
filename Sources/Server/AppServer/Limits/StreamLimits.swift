internal import VitrineSupport

/// Counter of the open event streams of devices and addresses.
final class StreamLimits: Sendable {
    /// Open stream.
    struct Admission: Sendable {
        fileprivate let number: Int
        fileprivate let device: String
        fileprivate let address: String
    }

    private struct Stream {
        let number: Int
        let end: @Sendable () -> Void
    }

    private struct State {
        var lastNumber = 0
        /// Numbers of the open streams.
        var open: Set<Int> = []
        var addresses: [String: Int] = [:]
        /// Streams of each device, the oldest first.
        var devices: [String: [Stream]] = [:]
    }

    private let state = Locked(State())
    private let limits: ServerLimits
    /// Maximum number of all streams together, so that other requests find a connection.
    private let most: Int

    init(_ limits: ServerLimits, most: Int) { (self.limits, self.most) = (limits, most) }

    /// Number of open streams.
    var count: Int { state.withLock { $0.open.count } }

    /// Admits another stream.
    ///
    /// - Throws: ``ErrorResponse`` with status 429 if the address, or all addresses together, have too many.
    func admit(device: String, address: String) throws(ErrorResponse) -> Admission {
        let number: Int? = state.withLock { state in
            let ofAddress = state.addresses[address] ?? 0
            guard ofAddress < limits.streams, state.open.count < most else { return nil }
            state.addresses[address] = ofAddress + 1
            state.lastNumber += 1
            state.open.insert(state.lastNumber)
            return state.lastNumber
        }
        // The server notices by its next element that a connection has ended.
        guard let number else { throw .tooMany(after: Int(CustomerStreams.heartbeat)) }
        return Admission(number: number, device: device, address: address)
    }

    /// Notes how a stream is ended, and ends the oldest streams of its device that are too many: the connection of such
    /// a stream has often been lost.
    func begin(_ admission: Admission, end: @escaping @Sendable () -> Void) {
        let superfluous: [Stream] = state.withLock { state in
            // The stream may have ended already, because its customer was merged.
            guard state.open.contains(admission.number) else { return [] }
            var streams = state.devices[admission.device] ?? []
            streams.append(Stream(number: admission.number, end: end))
            let oldest = Array(streams.prefix(max(0, streams.count - limits.deviceStreams)))
            state.devices[admission.device] = Array(streams.dropFirst(oldest.count))
            return oldest
        }
        for stream in superfluous { stream.end() }
    }

    /// Notes that a stream has ended.
    func end(_ admission: Admission) {
        state.withLock { state in
            state.open.remove(admission.number)
            let ofAddress = (state.addresses[admission.address] ?? 1) - 1
            state.addresses[admission.address] = ofAddress == 0 ? nil : ofAddress
            guard var streams = state.devices[admission.device] else { return }
            streams.removeAll { $0.number == admission.number }
            state.devices[admission.device] = streams.isEmpty ? nil : streams
        }
    }
}
