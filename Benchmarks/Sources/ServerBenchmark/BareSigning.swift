import Crypto
import Foundation
import VitrineReceipts

/// Signing of the payload of an answer as JWS in compact serialization, on all cores, without a server and a store.
struct BareSigning: Sendable {
    private let key = P256.Signing.PrivateKey()
    /// Header of the JWS, in base64url.
    private let header: Substring
    private let payload: TransactionPayload

    /// - Parameter answer: Answer with a signed transaction.
    init(of answer: Data) throws {
        struct Answer: Decodable {
            let signedTransactionInfo: String
        }
        let segments = try JSONDecoder().decode(Answer.self, from: answer).signedTransactionInfo.split(separator: ".")
        header = segments[0]
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .millisecondsSince1970
        payload = try decoder.decode(TransactionPayload.self, from: Self.decode(segments[1]))
        let signed = try sign(with: Self.encoder)
        precondition(signed.hasPrefix("\(segments[0]).\(segments[1])."), "the store signs otherwise")
    }

    /// Returns the number of signed payloads a second.
    func rate(during seconds: Int) async -> Double {
        let end = ContinuousClock.now + .seconds(seconds)
        let count = await withTaskGroup(of: Int.self) { group in
            for _ in 0..<ProcessInfo.processInfo.activeProcessorCount {
                group.addTask {
                    let encoder = Self.encoder
                    var count = 0
                    while ContinuousClock.now < end {
                        guard (try? sign(with: encoder)) != nil else { break }
                        count += 1
                    }
                    return count
                }
            }
            return await group.reduce(0, +)
        }
        return Double(count) / Double(seconds)
    }

    private func sign(with encoder: JSONEncoder) throws -> String {
        let input = "\(header).\(Self.encode(try encoder.encode(payload)))"
        let signature = try key.signature(for: Data(input.utf8))
        return "\(input).\(Self.encode(signature.rawRepresentation))"
    }

    private static var encoder: JSONEncoder {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        encoder.dateEncodingStrategy = .custom { date, encoder in
            var container = encoder.singleValueContainer()
            try container.encode(Int64((date.timeIntervalSince1970 * 1_000).rounded()))
        }
        return encoder
    }

    private static func encode(_ bytes: Data) -> String {
        bytes.base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    }

    private static func decode(_ text: Substring) -> Data {
        let base64 = text.replacing("-", with: "+").replacing("_", with: "/")
        return Data(base64Encoded: base64 + String(repeating: "=", count: (4 - base64.count % 4) % 4)) ?? Data()
    }
}
