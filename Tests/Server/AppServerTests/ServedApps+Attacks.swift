import Foundation
import Testing
import VitrineAppServerAPI
import VitrineDeviceExchange
import VitrineEntitlements

/// Requests of a device with which a customer, or somebody else, may attack the server.
extension ServedApps {
    /// Enrolls a device, and buys fifty coins with it.
    func buyer() async throws -> Device {
        let device = try await enroll()
        try await report([try await buy("com.example.voyager.coins50")], from: device)
        #expect(try await coins(of: device) == 50)
        return device
    }

    func state(of device: Device) async throws -> CustomerStateDocument {
        try await client.send("GET", "/v1/me/state", device.headers).decode(CustomerStateDocument.self)
    }

    func coins(of device: Device) async throws -> Int? { try await state(of: device).wallets["coins"] }

    /// Sends a document with facts at their moments, sealed with the customer's key.
    func publish(
        _ facts: [(Fact, Date)], as name: String, from device: Device
    ) async throws -> HTTPLine.Answer {
        let entries = facts.enumerated().map { index, fact in
            LedgerEntry(sequence: Int64(index + 1), recordedAt: fact.1, fact: fact.0)
        }
        let document = DeviceDocument(
            device: name, name: "liar", first: 1, last: Int64(facts.count), entries: entries)
        let content = try document.data(sealedWith: LedgerSealKey(device.enrollment.key))
        let path = "/v1/me/documents/\(DocumentName(of: document, content).text)"
        return try await client.send("PUT", path, device.headers, body: content)
    }

    func debit(_ amount: Int, as token: String, from device: Device) async throws -> HTTPLine.Answer {
        let body = #"{"token":"\#(token)","amount":\#(amount)}"#
        return try await client.send("POST", "/v1/me/wallets/coins/debits", device.headers, body: Data(body.utf8))
    }
}
