internal import Crypto
public import Foundation
internal import VitrineSupport
internal import X509

/// Verifier of app receipts. The signature must be RSA with SHA-256, or with SHA-1, which the store used until 2023.
/// The certificates must lead to a trusted root, contain the Apple marker OIDs, and have been valid at the validation
/// date. The app and its version, the environment, the device, and the expiration of the receipt are checked too. All
/// reasons for a rejection are reported together.
///
/// A receipt that is signed with a single certificate without a chain is accepted only if the certificate is trusted as
/// Xcode's. It then proves only the environment `Xcode`.
public struct AppReceiptVerifier: ReceiptVerifier {
    private let roots: TrustedRoots
    private let bundleIdentifier: String
    private let appVersion: String?
    private let environment: StoreEnvironment
    private let deviceIdentifier: Data?
    private let validity: CertificateValidity
    private let now: @Sendable () -> Date

    /// Creates a verifier.
    ///
    /// - Parameters:
    ///   - roots: Root certificates to which the receipt's certificates must lead.
    ///   - bundleIdentifier: Bundle identifier of the app that the receipt must be issued for.
    ///   - appVersion: App version for which the receipt must be issued, as in ``AppReceipt/applicationVersion``; `nil`
    ///     for any.
    ///   - environment: Environment that must have issued the receipt.
    ///   - deviceIdentifier: Identifier of the device for which the receipt must be issued, as bytes:
    ///     `identifierForVendor` on iOS, the MAC address of the first network interface on macOS. `nil` on a server,
    ///     which does not know the identifier; receipts of any device are then accepted.
    ///   - validity: Date at which the certificates must have been valid.
    ///   - now: Returns the current date. The receipt must not have expired at this date.
    public init(
        roots: TrustedRoots = .apple, bundleIdentifier: String, appVersion: String? = nil,
        environment: StoreEnvironment, deviceIdentifier: Data?, validity: CertificateValidity = .whenSigned,
        now: @escaping @Sendable () -> Date = { Date() }
    ) {
        self.roots = roots
        self.bundleIdentifier = bundleIdentifier
        self.appVersion = appVersion
        self.environment = environment
        self.deviceIdentifier = deviceIdentifier
        self.validity = validity
        self.now = now
    }

    public func verify(receipt data: Data) async -> Verification<SignedAppReceipt> {
        do throws(RejectionReason) {
            let bytes = try ReceiptData.container(in: data)
            let container = try CMSSignedData(bytes)
            var reasons: [RejectionReason] = []
            if !container.hasValidSignature() { reasons.append(.signature) }
            var chain: VerifiedChain?
            do throws(Rejection) {
                chain = try await self.chain(of: container)
            } catch {
                reasons += error.reasons
            }
            do throws(RejectionReason) {
                let receipt = try AppReceipt(payload: container.content)
                reasons += self.reasons(against: receipt, chain)
                return reasons.isEmpty
                    ? .verified(SignedAppReceipt(receipt: receipt, data: Data(bytes))) : .rejected(reasons)
            } catch {
                return .rejected(reasons + [error])
            }
        } catch {
            return .rejected([error])
        }
    }

    public func verify(stored data: Data) async -> Verification<SignedAppReceipt> {
        let verifier = AppReceiptVerifier(
            roots: roots, bundleIdentifier: bundleIdentifier, environment: environment, deviceIdentifier: nil,
            now: { .distantPast })
        return await verifier.verify(receipt: data)
    }

    private func chain(of container: CMSSignedData) async throws(Rejection) -> VerifiedChain {
        let verifier = ChainVerifier(roots: roots)
        guard container.certificates.count > 1 else { return try verifier.verify(xcode: container.signer) }
        return try await verifier.verify(
            leaf: container.signer, intermediates: container.certificates.filter { $0 != container.signer })
    }

    /// Returns the reasons to reject a receipt, independent of its signature.
    private func reasons(against receipt: AppReceipt, _ chain: VerifiedChain?) -> [RejectionReason] {
        let now = now()
        var reasons: [RejectionReason] = []
        func add(_ code: RejectionReason.Code, _ detail: String) {
            reasons.append(RejectionReason(code, detail))
        }
        if let reason = chain?.rejection(at: validity == .current ? now : receipt.creationDate) {
            reasons.append(reason)
        }
        if !receipt.bundleIdentifier.hasSameBytes(as: bundleIdentifier) {
            add(
                .bundleIdentifier,
                "the receipt is issued for the app \(receipt.bundleIdentifier), not for \(bundleIdentifier)")
        }
        if let appVersion, receipt.applicationVersion != appVersion {
            add(.appVersion, "the receipt is issued for version \(receipt.applicationVersion), not for \(appVersion)")
        }
        let issuer = receipt.type.environment
        if issuer != environment {
            add(
                .environment,
                "the receipt is issued in the environment \(issuer.rawValue), not in \(environment.rawValue)")
        } else if chain?.isXcode == true, receipt.type != .xcode {
            add(.environment, "the receipt is signed by Xcode, but claims the environment \(issuer.rawValue)")
        }
        if let deviceIdentifier, !receipt.isIssued(forDevice: deviceIdentifier) {
            add(.device, "the receipt is issued for another device")
        }
        if let expirationDate = receipt.expirationDate, expirationDate <= now {
            add(.expired, "the receipt expired at \(expirationDate.inISO8601)")
        }
        return reasons
    }
}

extension AppReceipt {
    fileprivate func isIssued(forDevice device: Data) -> Bool {
        let bundle = attributes.first { $0.type == ReceiptField.bundleIdentifier.rawValue }
        guard let bundle else { return false }
        return deviceHash
            == DeviceHash.hash(device: device, opaqueValue: opaqueValue, bundleIdentifier: bundle.value)
    }
}

extension RejectionReason {
    fileprivate static var signature: RejectionReason {
        RejectionReason(
            .signature, "the signature of the receipt does not match its content and the signer's certificate")
    }
}

/// Hash that binds a receipt to a device, as described in Apple's guide "Validating receipts on the device".
enum DeviceHash {
    /// Returns the hash of a device, as in attribute 5 of a receipt.
    ///
    /// - Parameters:
    ///   - device: The bytes of the device's identifier: `identifierForVendor` on iOS, the MAC address of the first
    ///     network interface on macOS.
    ///   - opaqueValue: The value of the receipt's attribute 4.
    ///   - bundleIdentifier: The value of the receipt's attribute 2, with its DER tag and length.
    static func hash(device: Data, opaqueValue: Data, bundleIdentifier: Data) -> Data {
        Data(Insecure.SHA1.hash(data: device + opaqueValue + bundleIdentifier))
    }
}

extension String {
    /// Returns `true` if both strings have the same UTF-8 bytes. Swift's `==` also treats different Unicode encodings
    /// of a letter as equal, but the store does not.
    func hasSameBytes(as other: String) -> Bool { utf8.elementsEqual(other.utf8) }
}

/// Verified app receipt, with the data that proves it. Its signature, certificate chain, app, environment and device
/// were checked.
public struct SignedAppReceipt: Sendable, Hashable {
    public let receipt: AppReceipt
    /// PKCS#7 container of the receipt. The bytes do not depend on whether the receipt was received raw or as Base64.
    public let data: Data
    /// SHA-256 of ``data``, in hexadecimal.
    package let digest: String

    package init(receipt: AppReceipt, data: Data) {
        self.receipt = receipt
        self.data = data
        digest = SHA256.hash(data: data).hexadecimal
    }
}

/// Verifier of app receipts.
public protocol ReceiptVerifier: Sendable {
    /// Verifies a receipt from the store, in PKCS#7 form, raw or as Base64.
    func verify(receipt data: Data) async -> Verification<SignedAppReceipt>

    /// Verifies a stored receipt again, which was verified before: checks that the store has signed it for this app.
    /// The device, the app's version and the receipt's expiration are not checked again, because they are relevant only
    /// for a new receipt.
    func verify(stored data: Data) async -> Verification<SignedAppReceipt>

    /// Verifies a receipt that another device has stored as a proof, and that was never verified on this device. The
    /// checks for a stored receipt apply, and the confirmation that a new receipt requires (``confirmed(by:)``).
    func verify(moved data: Data) async -> Verification<SignedAppReceipt>
}

extension ReceiptVerifier {
    /// Verifies a stored receipt in the same way as a new one.
    public func verify(stored data: Data) async -> Verification<SignedAppReceipt> { await verify(receipt: data) }

    /// Verifies a receipt from another device in the same way as a stored one, without an additional confirmation.
    public func verify(moved data: Data) async -> Verification<SignedAppReceipt> { await verify(stored: data) }
}
