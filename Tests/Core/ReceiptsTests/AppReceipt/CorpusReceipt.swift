import Foundation
import Testing
import VitrineTestSupport

@testable import VitrineReceipts

/// Receipt of the corpus with its expected content.
struct CorpusReceipt: Sendable, CustomTestStringConvertible {
    /// Content of the receipt according to another reader.
    struct Expected: Decodable {
        struct Purchase: Decodable {
            let quantity: Int
            let product_id: String
            let transaction_id: String
            let original_transaction_id: String?
            let purchase_date: String
            let original_purchase_date: String?
            let expires_date: String?
            let cancellation_date: String?
            let web_order_line_item_id: Int64?
            let is_intro_offer: Int?
            let type: Int?
            let trial: Int?

            private enum CodingKeys: String, CodingKey {
                case quantity, product_id, transaction_id, original_transaction_id, purchase_date
                case original_purchase_date, expires_date, cancellation_date, web_order_line_item_id, is_intro_offer
                case type = "type?"
                case trial = "is_trial?"
            }
        }

        let environment: String?
        let bundle_id: String?
        let app_version: String?
        let original_app_version: String?
        let opaque: String?
        let sha1: String?
        let creation_date: String?
        let expiration_date: String?
        let guid_hex: String?
        let signer_digest: String?
        let certs: Int?
        let attr_types: [Int]?
        let iap_attr_types: [Int]?
        let in_app: [Purchase]?
        let verify_apple_root_at_creation: String?
        let verify_storekit_test_root: String?

        /// `true` for an app receipt, `false` for another PKCS#7 container or other data.
        var isReceipt: Bool { bundle_id != nil }
    }

    let name: String
    let data: Data
    let expected: Expected

    var testDescription: String { name }

    static let isHere = Repository.corpus("receipts") != nil

    static let all: [CorpusReceipt] = {
        guard let folder = Repository.corpus("receipts") else { return [] }
        do {
            let table = try JSONDecoder().decode(
                [String: Expected].self, from: Data(contentsOf: folder.appending(path: "expected.json")))
            return try table.sorted { $0.key < $1.key }.map { path, expected in
                let file = folder.deletingLastPathComponent().appending(path: path)
                return CorpusReceipt(
                    name: file.lastPathComponent, data: try Data(contentsOf: file), expected: expected)
            }
        } catch {
            fatalError("the corpus cannot be read: \(error)")
        }
    }()

    static let receipts = all.filter(\.expected.isReceipt)

    static func file(_ path: String) throws -> Data {
        try Data(contentsOf: #require(Repository.corpus("receipts")).appending(path: path))
    }

    /// Returns a date in the format of receipts; `nil` for an empty text.
    static func date(_ text: String) throws -> Date? {
        guard !text.isEmpty else { return nil }
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_US_POSIX")
        formatter.dateFormat = "yyyy-MM-dd'T'HH:mm:ssXX"
        let date: Date = try #require(formatter.date(from: text), "\(text)")
        return date
    }

    /// Apple's root certificates and the certificate of Xcode's test store.
    static var roots: TrustedRoots {
        get throws {
            let xcode = try file("certs/StoreKitTestCertificate.cer")
            return TrustedRoots.apple.union(try TrustedRoots(xcodeData: xcode))
        }
    }

    static func pem(_ certificate: Data) -> String {
        "-----BEGIN CERTIFICATE-----\n" + certificate.base64EncodedString(options: .lineLength64Characters)
            + "\n-----END CERTIFICATE-----\n"
    }

    /// Returns a verifier that expects the values of the receipt.
    func verifier(
        roots: TrustedRoots, device: Data? = nil, validity: CertificateValidity = .whenSigned, now: Date? = nil
    ) throws -> AppReceiptVerifier {
        let creation = try Self.date(try #require(expected.creation_date))
        return AppReceiptVerifier(
            roots: roots, bundleIdentifier: try #require(expected.bundle_id), appVersion: expected.app_version,
            environment: ReceiptType(rawValue: try #require(expected.environment)).environment,
            deviceIdentifier: device ?? expected.guid_hex.flatMap { Data(hex: $0) }, validity: validity,
            now: { now ?? creation ?? .distantFuture })
    }
}
