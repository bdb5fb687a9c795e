package import Foundation
internal import VitrineCatalog
internal import VitrineSupport

/// Enrolled devices of a customer, which the customer's other devices and operators can remove.
extension CustomerRecords {
    /// Returns the enrolled devices of a device's customer.
    package func devices(ofCustomerOf device: EnrolledDevice) async throws(CustomerError) -> [CustomerDetail.Device] {
        try await devices(of: try await resolveMerged(of: device.customer).id).filter { $0.ended == nil }
    }

    /// Returns all devices of a customer, including those whose enrollment has ended.
    func devices(of customer: String) async throws(CustomerError) -> [CustomerDetail.Device] {
        try await rows(
            "SELECT id, name, created, seen, ended FROM device WHERE customer = $1 ORDER BY created, id",
            .text(customer)
        ).compactMap { row in
            guard row.count == 5, let id = row[0].text, let name = row[1].text, let created = row[2].integer,
                let seen = row[3].integer
            else { return nil }
            return CustomerDetail.Device(id: id, name: name, created: created, seen: seen, ended: row[4].integer)
        }
    }

    /// Ends the enrollment of a device on request of another device of the customer, which signs a challenge with its
    /// key: a stolen token removes no device.
    ///
    /// - Throws: ``CustomerError``: `unauthenticated` for an invalid proof, `notFound` if the customer has no such
    ///   device.
    package func remove(
        _ id: String, challenge: String, signature: Data, by device: EnrolledDevice
    ) async throws(CustomerError) {
        let rows = try await rows(
            "SELECT public_key FROM device WHERE id = $1 AND ended IS NULL", .text(device.id))
        guard signature.count <= 100, let key = rows.first?.first?.bytes else {
            throw CustomerError(code: .unauthenticated, reason: "the device has left, or its signature is too long")
        }
        try await checkProof(signature, of: "remove \(id)", challenge: challenge, by: key)
        let customer = try await resolveMerged(of: device.customer).id
        let removal = audit("remove device", of: customer, author: "device \(device.id)", detail: id)
        let isDone = try await transact([
            SQLStep(ending(ofDevice: id, of: customer), changing: 1), SQLStep(removal, changing: 1),
        ])
        forgetDevicesEverywhere()
        guard isDone else { throw noSuchDevice }
    }

    /// Ends the enrollment of a device on request of an operator.
    ///
    /// - Throws: ``CustomerError``: `notFound` if the customer has no such device, `conflict` if the token belongs to
    ///   another action.
    package func remove(
        _ id: String, of customer: String, token: String, reason: String, by author: String
    ) async throws(CustomerError) {
        let action = OperatorAction("remove device", token: token, author: author, detail: "\(id): \(reason)")
        try action.check()
        guard try await customerOfDone(action) == nil else { return }
        let customer = try await resolveMerged(of: customer).id
        let isDone = try await transact([
            SQLStep(ending(ofDevice: id, of: customer), changing: 1), SQLStep(audit(action, of: customer), changing: 1),
        ])
        forgetDevicesEverywhere()
        // The same request may have been made twice at the same time.
        guard !isDone, try await customerOfDone(action) == nil else { return }
        throw noSuchDevice
    }

    private var noSuchDevice: CustomerError {
        CustomerError(code: .notFound, reason: "the customer has no such enrolled device")
    }

    private func ending(ofDevice id: String, of customer: String) -> SQLStatement {
        SQLStatement(
            "UPDATE device SET ended = $3 WHERE customer = $1 AND id = $2 AND ended IS NULL", .text(customer),
            .text(id), .integer(now.milliseconds))
    }

    // MARK: Actions of operators

    /// Returns the customer for which an operator's action was recorded; `nil` if it was not.
    ///
    /// - Throws: ``CustomerError`` `conflict` if the token belongs to another action.
    func customerOfDone(_ action: OperatorAction) async throws(CustomerError) -> String? {
        let rows = try await rows("SELECT action, detail, customer FROM audit WHERE id = $1", .text(action.id))
        guard let row = rows.first, row.count == 3 else { return nil }
        guard row[0].text == action.name, row[1].text == action.detail else {
            throw CustomerError(code: .conflict, reason: "the token belongs to another action")
        }
        return row[2].text ?? ""
    }

    func audit(_ action: OperatorAction, of customer: String) -> SQLStatement {
        audit(action.name, of: customer, author: action.author, detail: action.detail, id: action.id)
    }
}

/// Action of an operator that is no fact in a ledger. Its row in the audit log is named by its token, so that the action
/// is taken once.
struct OperatorAction: Sendable {
    let name: String
    let token: String
    let author: String
    let detail: String

    init(_ name: String, token: String, author: String, detail: String) {
        (self.name, self.token, self.author, self.detail) = (name, token, author, detail)
    }

    var id: String { "token \(token)" }

    /// - Throws: ``CustomerError`` `invalid` for a text that is empty or too long.
    func check() throws(CustomerError) {
        let texts = [(token, 1_000), (author, 1_000), (detail, 10_000)]
        guard texts.allSatisfy({ (1...$1).contains($0.utf8.count) && !$0.utf8.contains(0) })
        else { throw CustomerError(code: .invalid, reason: "a token or reason is empty or too long") }
    }
}
