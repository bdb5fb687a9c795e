import ArgumentParser
import Foundation
import VitrineCatalog
import VitrineCommandSupport
import VitrineEntitlements
import VitrineNetworking
import VitrinePurchasing
import VitrineReceipts
import VitrineSupport

struct JWSCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "jws",
        abstract: "Show or verify data that the store has signed as JWS.",
        subcommands: [JWSShowCommand.self, JWSVerifyCommand.self]
    )
}

struct JWSShowCommand: ReportingCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Show the fields of a token, which is data that the store has signed as JWS.",
        discussion: """
            A token is a transaction, a renewal, an app transaction or a notification in compact JWS format. Each \
            field is listed as verified by the signature, or only claimed by the token. The app that the token names \
            is not checked; 'vitrine jws verify' checks it. The exit status is 0 for every token, verified or not, and \
            65 for other data.

            EXAMPLE:
              vitrine jws show transaction.jws
            """
    )

    @Argument(help: .token, completion: .file()) var file: String

    @OptionGroup var trust: TrustOptions
    @OptionGroup var output: OutputOptions

    func report() async throws -> Report {
        let token = try TokenClaims(file: file)
        let claims = token.claims
        let verifier = try token.verifier(trust)
        let signature = Verdict(await verifier.verify(signedData: token.signedData))
        var fields = Table(headings: ["FIELD", "VALUE", "STATUS"])
        fields.rows = claims.payload.fields.map { [$0.name, $0.value, signature.fieldStatus] }
        return Report(
            lines: signature.lines(of: "the signature")
                + [
                    "\(claims.kind?.description ?? "a token of unknown type"), signed with \(claims.algorithm); "
                        + "included certificates:"
                ]
                + claims.certificates.map(\.line) + [""] + fields.lines,
            json: [
                "signature": signature.document, "kind": claims.kind?.rawValue, "algorithm": claims.algorithm,
                "certificates": claims.certificates.map(\.document), "payload": claims.payload,
            ])
    }
}

struct JWSVerifyCommand: ReportingCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify",
        abstract: "Verify a token, which is data that the store has signed as JWS.",
        discussion: """
            Verifies the signer and the integrity of a transaction, a renewal, an app transaction or a notification, \
            and the values given with options; of a notification, the signed data in it too. The exit status is 0 if \
            the token is verified, 1 if it is rejected, 2 if that cannot be determined, and 65 if it is not a token.

            EXAMPLE:
              vitrine jws verify transaction.jws --bundle com.example.voyager \\
                --environment Production
            """
    )

    @Argument(help: .token, completion: .file()) var file: String

    @OptionGroup var identity: IdentityOptions

    @Option(
        name: .customLong("app-id"),
        help: ArgumentHelp(
            "The number of the app in the App Store that the token must name. (default: any)", valueName: "number"))
    var appIdentifier: Int64?

    @Flag(
        help:
            "Also check online that the certificates' issuers have not revoked them, by OCSP (RFC 6960).")
    var ocsp = false

    @OptionGroup var trust: TrustOptions
    @OptionGroup var output: OutputOptions

    func report() async throws -> Report {
        let token = try TokenClaims(file: file)
        let claims = token.claims
        var verdict = await token.verdict(
            try token.verifier(trust, identity, appIdentifier: appIdentifier, asksIssuers: ocsp))
        if verdict.status == .yes, let reason = reasonNotCompared(claims) { verdict = Verdict(undetermined: reason) }
        var checks = Table(headings: ["CHECK", "REQUIRED", "TOKEN", "RESULT"])
        checks.rows = verdict.rows([
            Check(
                "signature", "ES256", claims.algorithm, [.algorithm, .signature],
                after: Check.chainCodes.union([.malformed])),
            Check(
                "certificates", trust.rootText, "\(claims.certificates.count)", Check.chainCodes,
                after: Check.unreadCodes),
            Check(
                "validity", trust.at ?? "when signed", claims.payload.signedDate?.second ?? "missing",
                [.certificateValidity], after: Check.chainCodes.union(Check.unreadCodes)),
            Check(
                "revocation", ocsp ? "not revoked" : nil, "", [.certificateRevoked],
                after: Check.chainCodes.union(Check.unreadCodes)),
            Check("app", identity.bundle, claims.bundleIdentifier ?? "missing", [.bundleIdentifier]),
            Check(
                "app identifier", appIdentifier.map(String.init),
                claims.appIdentifier.map(String.init) ?? "missing", [.appIdentifier]),
            Check("environment", identity.environment, claims.environment?.rawValue ?? "missing", [.environment]),
            Check("content", "-", claims.kind?.description ?? "unknown type", [.payload]),
        ])
        return Report(
            lines: verdict.lines(of: "the token") + [""] + checks.lines, json: verdict.document,
            status: verdict.status)
    }

    /// Returns the reason why a requested value could not be compared with the token; `nil` if all values were
    /// compared.
    private func reasonNotCompared(_ claims: SignedDataClaims) -> String? {
        if identity.bundle != nil, claims.bundleIdentifier == nil { return "the token does not name its app" }
        guard appIdentifier != nil else { return nil }
        if claims.appIdentifier == nil { return "the token does not contain the app's number in the App Store" }
        return claims.environment == .production
            ? nil : "the Apple ID of the app can be given only with the environment Production"
    }
}

/// Signed token from a file, with its unverified claims.
struct TokenClaims {
    let signedData: String
    let claims: SignedDataClaims

    private static let sizeLimit = 1 << 20

    /// Reads a token. Surrounding white space is ignored.
    ///
    /// - Throws: ``ToolFailure`` if the file cannot be read or is not a token.
    init(file: String) throws {
        signedData = try Self.signedData(in: file)
        do {
            claims = try SignedDataClaims(unverified: signedData)
        } catch {
            throw ToolFailure(status: .unusableData, reason: "\(file): not a store token: \(error.reason)")
        }
    }

    /// Reads the text of a token from a file, without surrounding white space.
    ///
    /// - Throws: ``ToolFailure`` if the file cannot be read.
    static func signedData(in file: String) throws -> String {
        String(decoding: try InputFile.read(file, limit: sizeLimit), as: UTF8.self)
            .trimmingCharacters(in: .whitespacesAndNewlines)
    }

    /// Returns a verifier that requires the values given by options. For options that are missing, it requires the
    /// values in the token's own claims.
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

    /// Verifies the token as the type of signed data that its claims indicate.
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
    var description: String {
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
    /// Fields of a JSON object and its nested objects, sorted and named by their paths.
    var fields: [(name: String, value: String)] { fields(at: "") }

    /// Claimed date of the token's signature.
    var signedDate: Date? { (self["signedDate"] ?? self["receiptCreationDate"])?.date }

    private func fields(at path: String) -> [(name: String, value: String)] {
        switch self {
        case .object(let members):
            return members.sorted { $0.key < $1.key }.flatMap { name, value in
                value.fields(at: path.isEmpty ? name : "\(path).\(name)")
            }
        case .array(let elements):
            return elements.enumerated().flatMap { $0.element.fields(at: "\(path)[\($0.offset)]") }
        default: return [(path, text(of: path))]
        }
    }

    private func text(of name: String) -> String {
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

    /// Date from a number of milliseconds since 1970; `nil` if its year has more than four digits.
    private var date: Date? {
        guard let milliseconds = Double(number), abs(milliseconds) < 253_402_300_800_000 else { return nil }
        return Date(timeIntervalSince1970: milliseconds / 1_000)
    }
}
