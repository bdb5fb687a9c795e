internal import Crypto
internal import Foundation
internal import VitrineDeviceExchange
internal import VitrineSupport

/// Credentials of a device at the app's server: its key, and what the server has answered when it enrolled.
struct DeviceCredentials: Codable, Sendable, Hashable {
    /// Private key of the device, P-256, in raw form.
    let privateKey: Data
    /// Enrollment of the device; `nil` before it has enrolled.
    var enrollment: Enrollment?
    /// Digests of the keys that the same customer had before, as ``LedgerSealKey`` computes them: two customers of the
    /// server were merged, because they are one.
    var formerCustomers: [String] = []

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
        /// Key of the customer, with which devices and server seal what they exchange.
        var key: Data
        /// Identifier of the customer of the store in the app transaction with which the device has enrolled; `nil` if
        /// it had none.
        var appTransactionID: String?
        /// `true` if the device has shown a token of the app's own login.
        var hasAccount: Bool
    }

    private static let mostFormerCustomers = 16

    init() { privateKey = P256.Signing.PrivateKey().rawRepresentation }

    /// Reads credentials that were stored.
    ///
    /// - Parameter place: Name of the place where they were, for an error.
    init(json: Data, from place: String) throws(AppServerError) {
        do {
            self = try JSONDecoder().decodeForeign(DeviceCredentials.self, from: json)
        } catch {
            throw .damaged(place)
        }
    }

    /// Credentials as they are stored.
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

    /// Takes what the server has answered.
    ///
    /// - Parameter isSamePerson: `true` if the customer is still the same if the server names another one now.
    mutating func take(_ new: Enrollment, isSamePerson: Bool) throws(AppServerError) {
        if let old = enrollment, old.key != new.key {
            formerCustomers = isSamePerson ? formerCustomers.suffix(Self.mostFormerCustomers - 1) : []
            if isSamePerson { formerCustomers.append(try LedgerSealKey(ofServer: old.key).customer) }
        }
        enrollment = new
    }

    /// Signs a challenge of the server.
    ///
    /// - Parameter purpose: `enroll` and the name of the app, or `token` and the identifier of the device, separated by
    ///   a space.
    func sign(_ challenge: String, for purpose: String) throws(AppServerError) -> Data {
        do {
            return try P256.Signing.PrivateKey(rawRepresentation: privateKey)
                .signature(for: Data("vitrine-device\n\(purpose)\n\(challenge)".utf8)).derRepresentation
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
    /// Creates the key of a customer from what a server has answered.
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

    static func damaged(_ place: String) -> AppServerError {
        AppServerError(
            code: .storage,
            reason: "the key of the device in \(place) is damaged; start over to enroll as a new device")
    }
}
