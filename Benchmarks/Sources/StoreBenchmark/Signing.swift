import Crypto
import Foundation
import Measuring
import VitrineReceipts

/// Signing of what the store has signed in a year, without the store.
struct Signing {
    private struct Renewal {
        let transaction: TransactionPayload
        let information: RenewalPayload
    }

    private let key = P256.Signing.PrivateKey()
    /// Header of all tokens, in base64url.
    private let header: Substring
    private let renewals: [Renewal]
    /// What was signed of each renewal: header and payload of the transaction, and of the renewal information.
    private let inputs: [Substring]

    init(of year: SubscriptionYear) throws {
        let tokens = try String(contentsOf: year.tokens, encoding: .utf8).split(separator: "\n")
        inputs = tokens.map { $0[..<($0.lastIndex(of: ".") ?? $0.endIndex)] }
        header = inputs[0].prefix { $0 != "." }
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .millisecondsSince1970
        let payloads = inputs.map { Self.decode($0[$0.index(after: $0.firstIndex(of: ".") ?? $0.startIndex)...]) }
        renewals = try stride(from: 0, to: payloads.count, by: 2).map { index in
            Renewal(
                transaction: try decoder.decode(TransactionPayload.self, from: payloads[index]),
                information: try decoder.decode(RenewalPayload.self, from: payloads[index + 1]))
        }
        precondition(renewals.count == SubscriptionYear.renewalCount)
    }

    /// Signs the payloads as JWS in compact serialization.
    ///
    /// - Returns: Seconds.
    func measure() throws -> Double {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        encoder.dateEncodingStrategy = .custom { date, encoder in
            var container = encoder.singleValueContainer()
            try container.encode(Int64((date.timeIntervalSince1970 * 1_000).rounded()))
        }
        func sign(_ payload: some Encodable) throws -> String {
            let input = "\(header).\(Self.encode(try encoder.encode(payload)))"
            let signature = try key.signature(for: Data(input.utf8))
            return "\(input).\(Self.encode(signature.rawRepresentation))"
        }
        let samples = try renewals.prefix(1).flatMap { [try sign($0.transaction), try sign($0.information)] }
        precondition(zip(samples, inputs).allSatisfy { $0.hasPrefix($1) }, "the store signs something else")
        return try ContinuousClock().measure {
            for renewal in renewals {
                _ = try sign(renewal.transaction)
                _ = try sign(renewal.information)
            }
        }.seconds
    }

    /// Computes the signatures, with what is signed at hand.
    ///
    /// - Returns: Seconds.
    func measureSignatures() throws -> Double {
        let inputs = inputs.map { Data($0.utf8) }
        return try ContinuousClock().measure { for input in inputs { _ = try key.signature(for: input) } }.seconds
    }

    /// Encodes bytes in base64url without padding.
    private static func encode(_ bytes: Data) -> String {
        var characters = Array(bytes.base64EncodedData())
        while characters.last == UInt8(ascii: "=") { characters.removeLast() }
        for index in characters.indices {
            if characters[index] == UInt8(ascii: "+") { characters[index] = UInt8(ascii: "-") }
            if characters[index] == UInt8(ascii: "/") { characters[index] = UInt8(ascii: "_") }
        }
        return String(decoding: characters, as: UTF8.self)
    }

    private static func decode(_ text: Substring) -> Data {
        let padding = String(repeating: "=", count: (4 - text.utf8.count % 4) % 4)
        let standard = text.replacing("-", with: "+").replacing("_", with: "/") + padding
        return Data(base64Encoded: String(standard)) ?? Data()
    }
}
