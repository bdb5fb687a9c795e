package import Foundation
package import HTTPTypes
import Synchronization
package import VitrineNetworking

/// Gives up a reply that has fallen silent, and no other, however long it takes: where tests keep the machine busy, any
/// takes long.
package final class ImpatientTransport: HTTPTransport {
    private let silence = Mutex<Int?>(nil)

    package init() {}

    /// The server says nothing more after so many bytes of the body that comes next.
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
