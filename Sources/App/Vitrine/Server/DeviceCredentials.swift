internal import Crypto
internal import Foundation
internal import VitrineDeviceExchange
internal import VitrineSupport

/// Credentials of a device at the app's server: its private key and its enrollment.
struct DeviceCredentials: Codable, Sendable, Hashable {
    /// Private key of the device, P-256, in raw form.
    let privateKey: Data
    /// Enrollment of the device; `nil` before it has enrolled.
    var enrollment: Enrollment?
    /// Digests of earlier keys of the same customer, as `LedgerSealKey` computes them. The key changes when the
    /// server merges two customers who are the same person.
    var formerCustomers: [String] = []
    /// `true` if the device has requested the end of its link with an account, and still has the same customer as far as
    /// it knows. The customer that the server names next is then another person, even if the reply was lost.
    var isUnlinking: Bool?

    /// Enrollment of a device at a server.
    struct Enrollment: Codable, Sendable, Hashable {
        /// Address of the server.
        let server: String
        let app: String
        /// Identifier of the device at the server.
        let device: String
        /// Identifier of the customer, which the app passes with each purchase.
        var customer: UUID
        var token: String
        /// Key of the customer, with which the devices and the server seal the exchanged documents.
        var key: Data
        /// Identifier of the store account in the app transaction that the device has enrolled with; `nil` if it had
        /// none.
        var appTransactionID: String?
        /// `false` if the store had no app transaction when the device enrolled, or did not answer then; `nil` if that
        /// was not noted.
        var hasEvidence: Bool?
        /// `true` if the device has sent a token of the app's own login.
        var hasAccount: Bool
    }

    private static let mostFormerCustomers = 16

    init() { privateKey = P256.Signing.PrivateKey().rawRepresentation }

    /// Reads credentials that were stored.
    ///
    /// - Parameter place: Location of the credentials, for an error message.
    init(json: Data, from transport: String) throws(AppServerError) {
        do {
            self = try JSONDecoder().decodeForeign(DeviceCredentials.self, from: json)
        } catch {
            throw .damaged(transport)
        }
    }

    /// JSON form in which the credentials are stored.
    var json: Data {
        get throws(AppServerError) {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
            do {
                return try encoder.encode(self)
            } catch {
                throw AppServerError(
                    code: .storage, reason: "the key of the device cannot be written as JSON: \(error)")
            }
        }
    }

    /// Replaces the enrollment by a new one from the server.
    ///
    /// - Parameter isSamePerson: `true` if the customer is the same person even if the server has changed the
    ///   customer's key.
    mutating func replace(by new: Enrollment, isSamePerson: Bool) throws(AppServerError) {
        let isSamePerson = isSamePerson && isUnlinking != true
        if let old = enrollment, old.key != new.key {
            formerCustomers = isSamePerson ? formerCustomers.suffix(Self.mostFormerCustomers - 1) : []
            if isSamePerson { formerCustomers.append(try LedgerSealKey(ofServer: old.key).customer) }
        }
        if enrollment?.customer != new.customer { isUnlinking = nil }
        enrollment = new
    }

    /// Signs a challenge of the server.
    ///
    /// - Parameters:
    ///   - purpose: `enroll` and the name of the app; or `token`, `invite` or `remove` and the identifier of a device;
    ///     separated by a space.
    ///   - values: Values of the request that the signature covers, `nil` for a missing one.
    func sign(
        _ challenge: String, for purpose: String, covering values: [String?] = []
    ) throws(AppServerError) -> Data {
        let digests = values.map { value in value.map { SHA256.hash(data: Data($0.utf8)).hexadecimal } ?? "" }
        let message = (["vitrine-device", purpose, challenge] + digests).joined(separator: "\n")
        do {
            return try P256.Signing.PrivateKey(rawRepresentation: privateKey).signature(for: Data(message.utf8))
                .derRepresentation
        } catch {
            throw .damagedKey
        }
    }

    /// Public key of the device in X9.63 form.
    var publicKey: Data {
        get throws(AppServerError) {
            do {
                return try P256.Signing.PrivateKey(rawRepresentation: privateKey).publicKey.x963Representation
            } catch {
                throw .damagedKey
            }
        }
    }
}

extension LedgerSealKey {
    /// Creates the key of a customer from the key material in a server's reply.
    init(ofServer material: Data) throws(AppServerError) {
        do throws(LedgerSealKeyError) {
            try self.init(material)
        } catch {
            throw AppServerError(code: .format, reason: "the server's key of the customer is too short")
        }
    }
}

extension CodedError<AppServerErrorCode> {
    fileprivate static var damagedKey: AppServerError {
        AppServerError(code: .storage, reason: "the key of the device is damaged")
    }

    static func damaged(_ transport: String) -> AppServerError {
        AppServerError(
            code: .storage,
            reason: "the key of the device in \(transport) is damaged; start over to enroll as a new device")
    }
}
