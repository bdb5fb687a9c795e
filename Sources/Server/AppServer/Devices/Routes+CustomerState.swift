internal import Foundation
internal import HTTPTypes
internal import Hummingbird
internal import NIOCore
internal import VitrineAppServerRecords
internal import VitrineHTTPServing

extension Routes {
    /// Adds the routes for devices to report data signed by the store, and to load the customer's state.
    mutating func addCustomerState(_ services: AppServices) {
        let (records, devices) = (services.records, DeviceCredential(services))
        add(.get, "/v1/key") { _ in
            // Ed25519 public key of the server in raw form, which verifies signatures of customer states.
            try .json(["key": records.publicKey], headers: [.cacheControl: "max-age=3600"])
        }
        add(.post, "/v1/me/signed", for: devices) { call, device in
            let body = try await call.document(SignedBody.self, limit: SignedBody.limit)
            guard body.signed.count <= CustomerRecords.mostSigned else {
                throw ErrorResponse.invalid(
                    "At most \(CustomerRecords.mostSigned) items can be sent at once.", field: "signed")
            }
            let answers = try await records.record(
                signed: body.signed, boundTo: body.deviceVerificationID, from: device)
            return try .json(["results": answers])
        }
        add(.get, "/v1/me/state", for: devices) { call, device in
            try await Self.customerState(of: device, records, call.request)
        }
    }

    private static func customerState(
        of device: EnrolledDevice, _ records: CustomerRecords, _ request: Request
    ) async throws -> Response {
        let customerState = try await records.customerState(of: device.customer)
        let tag = "\"\(customerState.tag)\""
        var headers: HTTPFields = [.eTag: tag, .cacheControl: "private, no-cache"]
        if let nonce = request.headers[named: "Vitrine-Nonce"] {
            guard (1...128).contains(nonce.utf8.count) else {
                throw ErrorResponse.invalid("The nonce must have from 1 to 128 characters.", field: "Vitrine-Nonce")
            }
            headers[named: "Vitrine-Signature"] = try records.signature(of: customerState, nonce: nonce)
                .base64EncodedString()
        }
        let known = request.headers[values: .ifNoneMatch].flatMap { $0.split(separator: ",") }
        let isKnown = known.contains { candidate in
            let candidate = candidate.trimmingCharacters(in: .whitespaces)
            // `If-None-Match` compares tags weakly (RFC 9110, section 13.1.2).
            return candidate == "*" || candidate == tag || candidate == "W/\(tag)"
        }
        return isKnown
            ? Response(status: .notModified, headers: headers)
            : .json(bytes: ByteBuffer(bytes: customerState.body), headers: headers)
    }
}

private struct SignedBody: Decodable {
    /// Maximum size of the body in bytes. Signed data usually has about 4 KiB per item.
    static let limit = 1024 * 1024

    let signed: [String]
    /// Identifier to which the store binds the data that it signs for the device; `nil` if the device has none.
    let deviceVerificationID: UUID?
}
