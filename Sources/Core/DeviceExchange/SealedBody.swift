internal import Foundation
internal import VitrineSupport

/// Format of the data that a device publishes: a header line and a body line, both in JSON. The header has `format`,
/// `version` and, in sealed data, `customer` and `seal`, the HMAC-SHA256 of the body in Base64.
enum SealedBody {
    private static let version = 1
    private static let headerLimit = 1_024

    private struct Header: Codable {
        let format: String
        let version: Int
        var customer: String?
        var seal: String?
    }

    /// Encodes a value as published data, sealed with a key if there is one.
    static func data(_ value: some Encodable, format: String, key: LedgerSealKey?) throws -> Data {
        let encoder = JSONEncoder.sorted
        let body = try encoder.encode(value)
        let header = try encoder.encode(
            Header(
                format: format, version: version, customer: key?.customer,
                seal: key?.seal(of: body).base64EncodedString()))
        return header + [UInt8(ascii: "\n")] + body + [UInt8(ascii: "\n")]
    }

    /// Returns the body of published data. With a key, data without its seal is refused: even what the store has signed
    /// may then be of another customer, and only the key says whose devices have published it.
    ///
    /// - Throws: ``DocumentError``.
    static func open(_ data: Data, format: String, key: LedgerSealKey?) throws(DocumentError) -> Data {
        guard let end = data.prefix(headerLimit).firstIndex(of: UInt8(ascii: "\n")),
            let header = try? JSONDecoder().decodeForeign(Header.self, from: data[..<end]), header.format == format
        else { throw .refused("it is not a document of a device") }
        guard header.version == version else { throw .incomplete("a later version of Vitrine has written it") }
        let body = data[(end + 1)...].dropLast(data.last == UInt8(ascii: "\n") ? 1 : 0)
        guard let key else { return body }
        guard header.customer == nil || header.customer == key.customer else {
            throw .refused("it is of another customer, or sealed with another key")
        }
        guard let seal = header.seal else { throw .refused("it is not sealed with the customer's key") }
        guard let seal = Data(base64Encoded: seal), key.isSeal(seal, of: body) else {
            throw .refused("its seal does not match: something in it was changed")
        }
        return body
    }
}

/// Reason why published data of a device cannot be read.
package enum DocumentError: Error, Equatable {
    /// The data is incomplete or cannot be read yet. It is read again later.
    case incomplete(String)
    /// The data is invalid. It is never read again.
    case refused(String)

    package var reason: String {
        switch self {
        case .incomplete(let reason), .refused(let reason): reason
        }
    }
}
