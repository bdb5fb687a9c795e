import ArgumentParser
import Foundation
import VitrineCommandSupport
import VitrineEntitlements
import VitrineReceipts
import VitrineSupport

struct ReceiptCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "receipt",
        abstract: "Show or verify an app receipt.",
        subcommands: [ReceiptShowCommand.self, ReceiptVerifyCommand.self]
    )
}

struct ReceiptShowCommand: ReportingCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Show the fields of an app receipt.",
        discussion: """
            Each field is listed as verified by the signature, or only claimed by the receipt. The app and the device \
            that the receipt names are not checked; 'vitrine receipt verify' checks them. The exit status is 0 for \
            every receipt, verified or not, and 65 for other data.

            EXAMPLE:
              vitrine receipt show receipt
            """
    )

    @Argument(help: .receipt, completion: .file()) var file: String

    @OptionGroup var trust: TrustOptions
    @OptionGroup var output: OutputOptions

    func report() async throws -> Report {
        let claims = try ReceiptClaims(file: file)
        let signature = try await claims.signatureVerdict(trust)
        var fields = Table(headings: ["FIELD", "VALUE", "STATUS"])
        fields.rows = claims.receipt.fields.map { [$0.name, $0.value, signature.fieldStatus] }
        var lines = signature.lines(of: "the signature") + claims.signature.lines + [""] + fields.lines
        if !claims.receipt.purchases.isEmpty {
            lines += [""] + claims.receipt.purchaseTable(signature.fieldStatus).lines
        }
        return Report(
            lines: lines,
            json: [
                "signature": signature.document, "certificates": claims.signature.certificates.map(\.document),
                "receipt": claims.receipt.document,
            ])
    }
}

struct ReceiptVerifyCommand: ReportingCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify",
        abstract: "Verify an app receipt.",
        discussion: """
            Verifies the receipt's signer, that the receipt has not expired, and the values given with options. The \
            exit status is 0 if it is verified, 1 if it is rejected, 2 if that cannot be determined, and 65 if it is \
            not a receipt.

            EXAMPLE:
              vitrine receipt verify receipt --bundle com.example.voyager \\
                --environment Production
            """
    )

    @Argument(help: .receipt, completion: .file()) var file: String

    @OptionGroup var identity: IdentityOptions

    @Option(
        name: .customLong("app-version"),
        help: ArgumentHelp("The version of the app that the receipt must name. (default: any)", valueName: "version"))
    var appVersion: String?

    @Option(
        help: ArgumentHelp(
            "The device that the receipt must name: a UUID, or the bytes of a Mac's network address in hexadecimal. "
                + "(default: any)", valueName: "guid"))
    var device: String?

    @OptionGroup var trust: TrustOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard let device, DeviceIdentifier.parse(device) == nil else { return }
        throw ValidationError("\(device) is not a UUID or bytes in hexadecimal.")
    }

    func report() async throws -> Report {
        let claims = try ReceiptClaims(file: file)
        let verifier = AppReceiptVerifier(
            roots: try trust.trustedRoots,
            bundleIdentifier: identity.bundle ?? claims.receipt.bundleIdentifier, appVersion: appVersion,
            environment: identity.storeEnvironment ?? claims.receipt.type.environment,
            deviceIdentifier: device.flatMap(DeviceIdentifier.parse), validity: trust.validity, now: trust.now)
        let verdict = Verdict(await verifier.verify(receipt: claims.data))
        var checks = Table(headings: ["CHECK", "REQUIRED", "RECEIPT", "RESULT"])
        checks.rows = verdict.rows(
            [
                Check(
                    "signature", "-", "RSA with \(claims.signature.digestAlgorithm)", [.signature, .algorithm],
                    after: [.malformed]),
                Check(
                    "certificates", trust.rootText, "\(claims.signature.certificates.count)",
                    Check.chainCodes, after: Check.unreadCodes),
                Check(
                    "validity", trust.at ?? "when signed", claims.receipt.creationDate.second,
                    [.certificateValidity], after: Check.chainCodes.union(Check.unreadCodes)),
                Check("app", identity.bundle, claims.receipt.bundleIdentifier, [.bundleIdentifier]),
                Check("app version", appVersion, claims.receipt.applicationVersion, [.appVersion]),
                Check("environment", identity.environment, claims.receipt.type.rawValue, [.environment]),
                Check("device", device, claims.receipt.deviceHash.hexadecimal, [.device]),
                Check("expiry", "-", claims.receipt.expirationDate?.second ?? "none", [.expired]),
            ])
        return Report(
            lines: verdict.lines(of: "the receipt") + [""] + checks.lines, json: verdict.document,
            status: verdict.status)
    }
}

/// App receipt from a file, with its unverified claims.
struct ReceiptClaims {
    let data: Data
    let receipt: AppReceipt
    let signature: ReceiptSignature

    /// Reads an app receipt.
    ///
    /// - Throws: ``ToolFailure`` if the file cannot be read or is not a receipt.
    init(file: String) throws {
        data = try InputFile.read(file, limit: AppReceipt.sizeLimit)
        do throws(RejectionReason) {
            signature = try ReceiptSignature(unverified: data)
            receipt = try AppReceipt(unverified: data)
        } catch {
            throw ToolFailure(status: .unusableData, reason: "\(file): not an app receipt: \(error.reason)")
        }
    }

    /// Verifies only the signature of the receipt, without checking its other claims.
    func signatureVerdict(_ trust: TrustOptions) async throws -> Verdict {
        // The expiration of the receipt does not affect its signature, so the creation date is the default.
        let date = trust.date ?? receipt.creationDate
        let verifier = AppReceiptVerifier(
            roots: try trust.trustedRoots, bundleIdentifier: receipt.bundleIdentifier,
            environment: receipt.type.environment, deviceIdentifier: nil, validity: trust.validity, now: { date })
        return Verdict(await verifier.verify(receipt: data), ignoring: .expired)
    }
}

extension ReceiptSignature {
    var lines: [String] {
        ["signed with RSA and \(digestAlgorithm); included certificates:"] + certificates.map(\.line)
    }
}
