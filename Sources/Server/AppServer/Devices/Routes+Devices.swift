internal import Foundation
internal import HTTPTypes
internal import Hummingbird
internal import VitrineAppServerRecords
internal import VitrineHTTPServing

extension Routes {
    /// Adds the routes for devices to enroll, which logs in to an account too, renew their tokens, log out, and leave,
    /// and to list and remove the customer's other devices.
    mutating func addDevices(_ services: AppServices) {
        let (records, devices) = (services.records, DeviceCredential(services))
        add(.get, "/v1/challenge") { _ in
            try .json(["challenge": records.challenge()], headers: [.cacheControl: "no-store"])
        }
        add(.post, "/v1/devices") { call in
            try services.limits.enrollments.count(services.addresses.name(of: call.request, call.context))
            let body = try await call.document(EnrollmentBody.self)
            return try .secret(try await records.enroll(body.request, app: body.app), status: .created)
        }
        add(.post, "/v1/devices/me/token") { call in
            let request = try await call.document(TokenRequest.self)
            try services.limits.writes.count("token \(request.device.prefix(100))")
            return try .secret(try await records.renewToken(request))
        }
        add(.delete, "/v1/devices/me", for: devices) { _, device in
            try await records.leave(device)
            return Response(status: .noContent)
        }
        add(.delete, "/v1/devices/me/account", for: devices) { _, device in
            try .secret(try await records.unlink(device))
        }
        add(.get, "/v1/me/devices", for: devices) { _, device in
            try .json(["devices": try await records.devices(ofCustomerOf: device)])
        }
        add(.post, "/v1/me/devices/{id}/removal", for: devices) { call, device in
            let body = try await call.document(ProofBody.self)
            try await records.remove(
                try call.parameter("id"), challenge: body.challenge, signature: body.signature, by: device)
            return Response(status: .noContent)
        }
    }
}

/// Body of a request to enroll a device, with the name of the app.
private struct EnrollmentBody: Decodable {
    let app: String
    let request: EnrollmentRequest

    private enum CodingKeys: String, CodingKey {
        case app
    }

    init(from decoder: any Decoder) throws {
        app = try decoder.container(keyedBy: CodingKeys.self).decode(String.self, forKey: .app)
        request = try EnrollmentRequest(from: decoder)
    }
}

/// Challenge that a device has signed with its key.
private struct ProofBody: Decodable {
    let challenge: String
    let signature: Data
}

extension Response {
    /// Returns a response with a credential, which caches must not store.
    fileprivate static func secret(_ value: Enrollment, status: HTTPResponse.Status = .ok) throws -> Response {
        try .json(value, status: status, headers: [.cacheControl: "no-store"])
    }
}
