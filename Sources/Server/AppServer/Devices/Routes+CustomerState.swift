internal import Foundation
internal import HTTPTypes
internal import Hummingbird
internal import NIOCore
internal import VitrineAppServerAPI
internal import VitrineAppServerRecords
internal import VitrineHTTPServing

extension Routes {
    /// Adds the routes for devices to report data signed by the store, and to load the customer's state.
    mutating func addCustomerState(_ services: AppServices) {
        let (records, devices) = (services.records, DeviceCredential(services))
        add(AppServerAPI.key) { call in
            try call.reply(PublicKey(key: records.publicKey), headers: [.cacheControl: "max-age=3600"])
        }
        add(AppServerAPI.reportSigned, for: devices) { call, device in
            let body = try await call.body()
            guard body.signed.count <= SignedItems.most else {
                throw ErrorResponse.invalid("At most \(SignedItems.most) items can be sent at once.", field: "signed")
            }
            let answers = try await records.record(
                signed: body.signed, boundTo: body.deviceVerificationID, from: device)
            return try call.reply(SignedResults(results: answers))
        }
        add(AppServerAPI.customerState, for: devices) { call, device in
            try await Self.customerState(of: device, records, call.request)
        }
    }

    private static func customerState(
        of device: EnrolledDevice, _ records: CustomerRecords, _ request: Request
    ) async throws -> Response {
        let customerState = try await records.customerState(of: device.customer)
        let tag = "\"\(customerState.tag)\""
        var headers: HTTPFields = [.eTag: tag, .cacheControl: "private, no-cache"]
        if let nonce = request.headers[.nonce] {
            guard (1...128).contains(nonce.utf8.count) else {
                throw ErrorResponse.invalid("The nonce must have from 1 to 128 characters.", field: "Vitrine-Nonce")
            }
            headers[.stateSignature] = try records.signature(of: customerState, nonce: nonce)
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
