internal import Foundation

/// Anything that the store signs as JWS, whose signature, chain, app and environment have been checked, with the data
/// that proves it. Nothing else in its payload has been checked: what somebody bought is told by
/// ``SignedDataVerifier/verify(transaction:)`` alone.
public struct SignedDocument: SignedContent, Hashable {
    /// What the fields of the payload are those of; `nil` where they are not those of one kind.
    public let kind: SignedDocumentKind?
    /// The compact JWS as it was received.
    public let signedData: String
}

/// A kind of data that the store signs as JWS.
public enum SignedDocumentKind: String, Sendable, Hashable, CaseIterable {
    case transaction, renewal, appTransaction, notification
    /// What the store asks before it offers to keep a subscription.
    case realtimeRequest
}

/// The part of a payload that tells what it is, whose it is and when it was signed.
struct DocumentPayload {
    let kind: SignedDocumentKind?
    let subjects: [SignedSubject]
    let signatureDate: Date?
}

extension DocumentPayload: SignedPayload {
    static let name = "something that the store signs"

    var isComplete: Bool { !subjects.isEmpty }

    var dates: [Date] { signatureDate.map { [$0] } ?? [] }

    fileprivate enum CodingKeys: String, CodingKey {
        case bundleId, appAppleId, environment, receiptType, signedDate, receiptCreationDate
        // What tells one kind from another.
        case notificationType, transactionId, autoRenewStatus, userLocale
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        kind = SignedDocumentKind.allCases.first { container.contains(CodingKeys.mark(of: $0)) }
        if kind == .notification {
            let payload = try NotificationPayload(from: decoder)
            subjects = payload.subjects
            signatureDate = payload.signedDate
        } else {
            let isAppTransaction = kind == .appTransaction
            subjects = [
                SignedSubject(
                    app: try container.decodeIfPresent(String.self, forKey: .bundleId),
                    appIdentifier: try container.decodeIfPresent(Int64.self, forKey: .appAppleId),
                    environment: try container.decode(
                        StoreEnvironment.self, forKey: isAppTransaction ? .receiptType : .environment))
            ]
            signatureDate = try container.decodeIfPresent(
                Date.self, forKey: isAppTransaction ? .receiptCreationDate : .signedDate)
        }
    }
}

extension DocumentPayload.CodingKeys {
    /// A field that this kind has and no other.
    fileprivate static func mark(of kind: SignedDocumentKind) -> Self {
        switch kind {
        case .transaction: .transactionId
        case .renewal: .autoRenewStatus
        case .appTransaction: .receiptType
        case .notification: .notificationType
        case .realtimeRequest: .userLocale
        }
    }
}
