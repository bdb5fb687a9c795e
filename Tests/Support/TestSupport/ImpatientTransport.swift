package import Foundation
package import HTTPTypes
import Synchronization
package import VitrineNetworking

/// Transport that stops waiting only if the server is expected to be silent. It has no other time limit, because tests
/// keep the machine busy.
package final class ImpatientTransport: HTTPTransport {
    private let silence = Mutex<Int?>(nil)

    package init() {}

    /// Expects that the server is silent after a number of bytes of the next body.
    package func expectSilence(after count: Int) { silence.withLock { $0 = count } }

    package func receive(
        _ request: HTTPRequest, body: Data, limits: HTTPLimits,
        head: @escaping @Sendable (HTTPResponse) throws(HTTPTransportError) -> Void,
        part: @escaping @Sendable (Data) throws(HTTPTransportError) -> Void
    ) async throws(HTTPTransportError) {
        let (time, instant, received) = (ManualSleep(), ContinuousClock.now, Recorder<Int>())
        let listen: @Sendable (Int) -> Void = { [self] count in
            received.record(count)
            let isSilent = silence.withLock { silence in
                guard silence == received.values.reduce(0, +) else { return false }
                silence = nil
                return true
            }
            if isSilent { time.wakeAll() }
        }
        try await DefaultTransport(now: { instant }, sleep: time.sleep).receive(request, body: body, limits: limits) {
            (response) throws(HTTPTransportError) in
            try head(response)
            listen(0)
        } part: { (data) throws(HTTPTransportError) in
            try part(data)
            listen(data.count)
        }
    }
}
