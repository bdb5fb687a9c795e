internal import HTTPTypes
internal import Hummingbird
internal import VitrineAppServerRecords
internal import VitrineFileSystem
internal import VitrineHTTPServing
internal import VitrineSupport

/// Credential of requests from enrolled devices: a bearer token, which the server has issued to the device.
struct DeviceCredential: RouteCredential {
    private let services: AppServices

    init(_ services: AppServices) { self.services = services }

    /// Authenticates the device that makes a request, and counts the request against the device's limits.
    func holder(of call: RouteCall) async throws -> EnrolledDevice {
        guard let token = call.request.headers.bearer else {
            throw CustomerError(code: .unauthenticated, reason: "the request has no bearer token")
        }
        let device = try await services.records.device(bearing: token)
        let isRead = [.get, .head].contains(call.request.method)
        try (isRead ? services.limits.reads : services.limits.writes).count(device.id)
        return device
    }
}
