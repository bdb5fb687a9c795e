import ArgumentParser
import Foundation
import Receipts

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
        abstract: "Show the fields of a store token.",
        discussion: """
            A token is a transaction, a renewal, an app transaction or a notification in compact JWS format. Each \
            field is listed as verified by the signature, or only claimed by the token. The token's app is not \
            checked: use vitrine jws verify. The exit status is 0 for every token, verified or not, and 65 for other \
            data.

            EXAMPLE:
              vitrine jws show transaction.jws
            """
    )

    @Argument(help: ArgumentHelp("The file with the token; - is standard input.", valueName: "file"))
    var file: String

    @OptionGroup var trust: TrustOptions
    @OptionGroup var output: OutputOptions

    func report() async throws -> Report {
        let token = try TokenClaims(file: file)
        let claims = token.claims
        let verifier = try token.verifier(trust)
        let signature = Verdict(await verifier.verify(signedData: token.signedData))
        var fields = Table(headings: ["FIELD", "VALUE", "STATUS"])
        fields.rows = claims.payload.fields.map { [$0.name, $0.value, signature.standing] }
        return Report(
            lines: signature.lines(of: "the signature")
                + [
                    "\(claims.kind?.words ?? "a token of unknown type"), signed with \(claims.algorithm); "
                        + "included certificates:"
                ]
                + claims.certificates.map(\.line) + [""] + fields.lines,
            json: Document(
                signature: signature.document, kind: claims.kind?.rawValue, algorithm: claims.algorithm,
                certificates: claims.certificates.map(CertificateDocument.init), payload: claims.payload),
            status: .yes)
    }

    private struct Document: Encodable {
        let signature: Verdict.Document
        let kind: String?
        let algorithm: String
        let certificates: [CertificateDocument]
        let payload: JSONValue
    }
}

struct JWSVerifyCommand: ReportingCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify",
        abstract: "Verify a store token.",
        discussion: """
            Verifies the signer and the integrity of a transaction, a renewal, an app transaction or a notification, \
            and the values given with options; of a notification, the signed data in it too. The exit status is 0 if \
            the token is verified, 1 if it is rejected, 2 if that cannot be determined, and 65 if it is not a token.

            EXAMPLE:
              vitrine jws verify transaction.jws --bundle com.example.voyager --environment Production
            """
    )

    @Argument(help: ArgumentHelp("The file with the token; - is standard input.", valueName: "file"))
    var file: String

    @OptionGroup var identity: IdentityOptions

    @Option(
        name: .customLong("app-id"),
        help: ArgumentHelp("The required number of the app in the App Store. (default: any)", valueName: "number"))
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
            Check("signature", "ES256", claims.algorithm, [.algorithm, .signature], after: Check.chainCodes),
            Check("certificates", trust.rootWords, "\(claims.certificates.count)", Check.chainCodes),
            Check(
                "validity", trust.at ?? "when signed", claims.payload.signedDate?.second ?? "missing",
                [.certificateValidity], after: Check.chainCodes),
            Check("revocation", ocsp ? "not revoked" : nil, "", [.certificateRevoked], after: Check.chainCodes),
            Check("app", identity.bundle, claims.bundleIdentifier ?? "missing", [.bundleIdentifier]),
            Check(
                "app identifier", appIdentifier.map(String.init),
                claims.appIdentifier.map(String.init) ?? "missing", [.appIdentifier]),
            Check("environment", identity.environment, claims.environment?.rawValue ?? "missing", [.environment]),
            Check("content", "-", claims.kind?.words ?? "unknown type", [.payload]),
        ])
        return Report(
            lines: verdict.lines(of: "the token") + [""] + checks.lines, json: verdict.document,
            status: verdict.status)
    }

    /// Returns the reason why a requested value could not be compared with the token; `nil` if all were compared.
    private func reasonNotCompared(_ claims: SignedDataClaims) -> String? {
        if identity.bundle != nil, claims.bundleIdentifier == nil { return "the token does not name its app" }
        guard appIdentifier != nil else { return nil }
        if claims.appIdentifier == nil { return "the token does not contain the app's number in the App Store" }
        return claims.environment == .production ? nil : "the app's number is valid only in production"
    }
}
