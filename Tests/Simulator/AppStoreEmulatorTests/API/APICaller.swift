import Foundation
import HTTPTypes
import Testing
import VitrineNetworking
import VitrineReceipts
import VitrineStoreSimulator
import VitrineTestSupport

/// Client in the role of an app's server, which writes its requests without the library.
struct APICaller: Sendable {
    let served: ServedStore
    /// Token of all requests for which no other is given.
    let token: String
    private let transport = DefaultTransport.patient

    init(_ served: ServedStore) throws {
        self.served = served
        token = try served.token()
    }

    /// Sends a request, and returns the whole answer with any status.
    ///
    /// - Parameters:
    ///   - path: Path as it is sent.
    ///   - query: Names and values of the query, not encoded.
    ///   - body: Value that is sent as JSON; `nil` for none.
    ///   - authorization: Value of the header field; `nil` for the caller's own token.
    func send(
        _ method: HTTPRequest.Method = .get, _ path: String, query: [(String, String)] = [],
        body: [String: JSONValue]? = nil, authorization: String? = nil
    ) async throws -> APIAnswer {
        let data = try body.map { try JSONEncoder().encode($0) } ?? Data()
        return try await send(method, path, query: query, bytes: data, authorization: authorization)
    }

    /// Sends a request with any bytes as its body.
    func send(
        _ method: HTTPRequest.Method, _ path: String, query: [(String, String)] = [], bytes: Data,
        authorization: String? = nil
    ) async throws -> APIAnswer {
        let port = try #require(served.url.port)
        let encoded = query.map { "\($0.0)=\(Self.encoded($0.1))" }.joined(separator: "&")
        var request = HTTPRequest(
            method: method, scheme: "http", authority: "127.0.0.1:\(port)",
            path: encoded.isEmpty ? path : "\(path)?\(encoded)")
        request.headerFields[.authorization] = authorization ?? "Bearer \(token)"
        let reply = try await transport.send(request, body: bytes, limits: HTTPLimits(size: 1 << 20, seconds: 60))
        return APIAnswer(status: reply.response.status.code, fields: reply.response.headerFields, body: reply.body)
    }

    /// Returns a text in which every byte is percent-encoded except letters, digits and other unreserved characters.
    private static func encoded(_ text: String) -> String {
        text.utf8.map { byte in
            unreserved.contains(byte)
                ? String(UnicodeScalar(byte)) : (byte < 16 ? "%0" : "%") + String(byte, radix: 16)
        }.joined()
    }

    private static let unreserved = Set(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~".utf8)
}

/// Answer to a request of ``APICaller``.
struct APIAnswer: Sendable {
    let status: Int
    let fields: HTTPFields
    let body: Data

    /// JSON value in the body; `nil` if the body is not JSON.
    var json: JSONValue? { try? JSONValue(json: body) }

    /// Code of an error; `nil` for any other answer.
    var code: Int? { json?["errorCode"]?.number.map { Int($0) } }

    /// Error code or, without one, the status. Tables of tests use the same number.
    var verdict: Int { code ?? status }

    /// Text of a field of the body.
    subscript(text name: String) -> String? { json?[name]?.text }

    /// Transactions in the array `signedTransactions`.
    var transactions: [TransactionPayload] {
        get throws {
            try (json?["signedTransactions"]?.list ?? []).map { try Self.transaction(try #require($0.text)) }
        }
    }

    /// Value of the field `hasMore`.
    var hasMore: Bool {
        get throws {
            guard case .bool(let hasMore) = json?["hasMore"] else {
                throw ServedTestFailure("the answer does not say whether there is more")
            }
            return hasMore
        }
    }

    /// Transaction in the field `signedTransactionInfo`.
    var transaction: TransactionPayload {
        get throws { try Self.transaction(#require(self[text: "signedTransactionInfo"])) }
    }

    /// Decodes a signed transaction without checking its signature.
    static func transaction(_ signed: String) throws -> TransactionPayload {
        try #require(TransactionPayload(unverified: signed))
    }
}

extension JSONValue {
    var text: String? { if case .string(let text) = self { text } else { nil } }

    var number: Int64? { if case .integer(let number) = self { number } else { nil } }

    var list: [JSONValue]? { if case .array(let list) = self { list } else { nil } }
}

extension ServedStore {
    /// Date at which the store's own clock begins.
    static let start = Date(timeIntervalSince1970: 1_800_000_000)
    /// Valid identifier that no transaction has.
    static let unknown = "999999999999999"

    /// The library's client, as the app's server uses it.
    var client: AppStoreServerClient {
        AppStoreServerClient(server: .other(url), key: key, bundleIdentifier: Self.bundle, timeout: 600)
    }

    /// Buys products one after the other, each as the device's customer does outside the app.
    ///
    /// - Returns: Identifiers of the transactions.
    @discardableResult
    func buy(_ products: String..., by device: SimulatedStore? = nil) async throws -> [String] {
        var bought: [String] = []
        for product in products { bought.append(try await (device ?? store).purchaseElsewhere(product).id) }
        return bought
    }

    /// Returns the identifier of the app transaction of a customer.
    func appTransaction(of customer: String = "default") async throws -> String {
        try #require(try await store.customers().first { $0.name == customer }).appTransactionID
    }
}

extension TimeInterval {
    static let days: TimeInterval = 86_400
}

extension Date {
    /// Milliseconds since 1970, as the store writes dates.
    var inMilliseconds: Int64 { Int64((timeIntervalSince1970 * 1_000).rounded()) }
}

/// Failure of a test's setup.
struct ServedTestFailure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
