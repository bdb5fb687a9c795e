import ArgumentParser
import Foundation
import Receipts

struct JWSCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "jws",
        abstract: "Show what the store has signed as JWS, or check it.",
        subcommands: [JWSShowCommand.self, JWSVerifyCommand.self]
    )
}

struct JWSShowCommand: ReportingCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Show what a token of the store's says.",
        discussion: """
            A token is a transaction, a renewal, an app transaction or a notification in compact JWS form. Says of each \
            field whether the signature proves it, or the token only claims it. For which app it is good is not looked \
            at: vitrine jws verify does that. The exit status is 0 for every token, proved or not, and 65 for what is \
            none.

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
        var fields = Table(headings: ["FIELD", "VALUE", "STANDING"])
        fields.rows = claims.payload.fields.map { [$0.name, $0.value, signature.standing] }
        return Report(
            lines: signature.lines(of: "the signature")
                + [
                    "\(claims.kind?.words ?? "a token of no known kind"), signed with \(claims.algorithm); the certificates that came with it:"
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
        abstract: "Check a token of the store's.",
        discussion: """
            Checks who has signed a transaction, a renewal, an app transaction or a notification, whether it is whole, \
            and what the options name; of a notification, what it holds too. The exit status is 0 if it is verified, 1 \
            if it is rejected, 2 if that cannot be told, and 65 if it is no token.

            EXAMPLE:
              vitrine jws verify transaction.jws --bundle com.example.voyager --environment Production
            """
    )

    @Argument(help: ArgumentHelp("The file with the token; - is standard input.", valueName: "file"))
    var file: String

    @OptionGroup var identity: IdentityOptions

    @Option(
        name: .customLong("app-id"),
        help: ArgumentHelp("The app's number in the App Store. (default: any)", valueName: "number"))
    var appIdentifier: Int64?

    @Flag(
        help:
            "Also ask the certificates' issuers, over the network, whether they have revoked them: by OCSP (RFC 6960).")
    var ocsp = false

    @OptionGroup var trust: TrustOptions
    @OptionGroup var output: OutputOptions

    func report() async throws -> Report {
        let token = try TokenClaims(file: file)
        let claims = token.claims
        var verdict = await token.verdict(
            try token.verifier(trust, identity, appIdentifier: appIdentifier, asksIssuers: ocsp))
        if verdict.status == .yes, let reason = reasonNotCompared(claims) { verdict = Verdict(undetermined: reason) }
        var checks = Table(headings: ["CHECK", "ASKED FOR", "TOKEN", "VERDICT"])
        checks.rows = verdict.rows([
            Check("signature", "ES256", claims.algorithm, [.algorithm, .signature], after: Check.chainCodes),
            Check("certificates", trust.rootWords, "\(claims.certificates.count)", Check.chainCodes),
            Check(
                "their dates", trust.at ?? "when signed", claims.payload.signedDate?.second ?? "does not say",
                [.certificateValidity], after: Check.chainCodes),
            Check("revocation", ocsp ? "not revoked" : nil, "", [.certificateRevoked], after: Check.chainCodes),
            Check("app", identity.bundle, claims.bundleIdentifier ?? "does not say", [.bundleIdentifier]),
            Check(
                "app identifier", appIdentifier.map(String.init),
                claims.appIdentifier.map(String.init) ?? "does not say", [.appIdentifier]),
            Check("environment", identity.environment, claims.environment?.rawValue ?? "does not say", [.environment]),
            Check("content", "-", claims.kind?.words ?? "no known kind", [.payload]),
        ])
        return Report(
            lines: verdict.lines(of: "the token") + [""] + checks.lines, json: verdict.document,
            status: verdict.status)
    }

    /// Why something that was asked for could not be held against the token; `nil` where all of it was.
    private func reasonNotCompared(_ claims: SignedDataClaims) -> String? {
        if identity.bundle != nil, claims.bundleIdentifier == nil { return "it does not say for which app it is" }
        guard appIdentifier != nil else { return nil }
        if claims.appIdentifier == nil { return "it does not say which number the app has in the App Store" }
        return claims.environment == .production ? nil : "the app's number counts in production alone"
    }
}
