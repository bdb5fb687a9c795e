import Foundation
import Networking
import Receipts

/// Signed token read from a file, with its unverified claims.
struct TokenClaims {
    let signedData: String
    let claims: SignedDataClaims

    private static let sizeLimit = 1 << 20

    /// - Throws: ``ToolFailure`` if the file cannot be read or is not a token. Surrounding white space is ignored.
    init(file: String) throws {
        let data = try InputFile.read(file, limit: Self.sizeLimit)
        signedData = String(decoding: data, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
        do {
            claims = try SignedDataClaims(unverified: signedData)
        } catch {
            throw ToolFailure(status: .unusableData, reason: "\(file): not a store token: \(error.reason)")
        }
    }

    /// Returns a verifier that accepts the token's own claims for everything that is not required.
    func verifier(
        _ trust: TrustOptions, _ identity: IdentityOptions? = nil, appIdentifier: Int64? = nil,
        asksIssuers: Bool = false
    ) throws -> SignedDataVerifier {
        try SignedDataVerifier(
            roots: trust.trustedRoots, bundleIdentifier: identity?.bundle ?? claims.bundleIdentifier ?? "",
            appIdentifier: appIdentifier,
            environment: identity?.storeEnvironment ?? claims.environment ?? .production, validity: trust.validity,
            revocation: asksIssuers ? DefaultTransport(plainHTTP: .everywhere) : nil, now: trust.now)
    }

    /// Verifies the token as the type that it claims to have.
    func verdict(_ verifier: SignedDataVerifier) async -> Verdict {
        switch claims.kind {
        case .transaction: Verdict(await verifier.verify(transaction: signedData))
        case .renewal: Verdict(await verifier.verify(renewal: signedData))
        case .appTransaction: Verdict(await verifier.verify(appTransaction: signedData))
        case .notification: Verdict(await verifier.verify(notification: signedData))
        case .realtimeRequest, nil: Verdict(await verifier.verify(signedData: signedData))
        }
    }
}

extension SignedDocumentKind {
    var words: String {
        switch self {
        case .transaction: "a transaction"
        case .renewal: "a renewal"
        case .appTransaction: "an app transaction"
        case .notification: "a notification"
        case .realtimeRequest: "a real-time request at the end of a subscription"
        }
    }
}

extension JSONValue {
    /// Fields with their paths, sorted by name.
    var fields: [(name: String, value: String)] { fields(at: "") }

    /// Signing date, as claimed.
    var signedDate: Date? { (self["signedDate"] ?? self["receiptCreationDate"])?.date }

    private func fields(at path: String) -> [(name: String, value: String)] {
        switch self {
        case .object(let members):
            return members.sorted { $0.key < $1.key }.flatMap { name, value in
                value.fields(at: path.isEmpty ? name : "\(path).\(name)")
            }
        case .array(let elements):
            return elements.enumerated().flatMap { $0.element.fields(at: "\(path)[\($0.offset)]") }
        default: return [(path, words(of: path))]
        }
    }

    private func words(of name: String) -> String {
        switch self {
        case .string(let text): text.utf8.count > 200 ? "\(text.utf8.count) bytes: \(text.prefix(40))…" : text
        case .integer, .number: (name.hasSuffix("Date") ? date?.second : nil) ?? number
        case .bool(let value): value ? "true" : "false"
        default: "null"
        }
    }

    private var number: String {
        switch self {
        case .integer(let value): String(value)
        case .number(let value): String(value)
        default: ""
        }
    }

    /// Date for a number of milliseconds since 1970; `nil` if its year has more than four digits.
    private var date: Date? {
        guard let milliseconds = Double(number), abs(milliseconds) < 253_402_300_800_000 else { return nil }
        return Date(timeIntervalSince1970: milliseconds / 1_000)
    }
}
