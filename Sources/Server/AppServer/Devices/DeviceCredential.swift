internal import HTTPTypes
internal import Hummingbird
internal import VitrineAppServerRecords
internal import VitrineFileSystem
internal import VitrineSupport

/// Credential of the requests of enrolled devices: the token that the server has given the device.
struct DeviceCredential: RouteCredential {
    private let services: AppServices

    init(_ services: AppServices) { self.services = services }

    /// Returns the device that makes a request, and counts the request if it is one that may change something.
    func holder(of call: RouteCall) async throws -> EnrolledDevice {
        guard let token = call.bearer else {
            throw CustomerError(code: .unauthenticated, reason: "the request has no bearer token")
        }
        let device = try await services.records.device(bearing: token)
        if call.request.method != .get, call.request.method != .head { try services.writes.count(device.id) }
        return device
    }
}
