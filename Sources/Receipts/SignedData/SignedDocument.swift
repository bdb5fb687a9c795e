internal import Foundation

/// Data of any type that the store signs as JWS, whose signature, chain, app and environment have been checked, with
/// the data that proves it. Nothing else in the payload has been checked: only
/// ``SignedDataVerifier/verify(transaction:)`` verifies purchases.
public struct SignedDocument: SignedContent, Hashable {
    /// Type of data to which the fields of the payload belong; `nil` if they belong to no known type.
    public let kind: SignedDocumentKind?
    /// The compact JWS as it was received.
    public let signedData: String
}

/// Type of data that the store signs as JWS.
public enum SignedDocumentKind: String, Sendable, Hashable, CaseIterable {
    case transaction, renewal, appTransaction, notification
    /// Request that the store sends before it makes an offer to keep a subscription.
    case realtimeRequest
}

/// Part of a payload that contains its type, its subjects and the date of its signature.
struct DocumentPayload {
    let kind: SignedDocumentKind?
    let subjects: [SignedSubject]
    let signatureDate: Date?
}

extension DocumentPayload: SignedPayload {
    static let name = "data that the store signs"

    var isComplete: Bool { !subjects.isEmpty }

    var dates: [Date] { signatureDate.map { [$0] } ?? [] }

    fileprivate enum CodingKeys: String, CodingKey {
        case bundleId, appAppleId, environment, receiptType, signedDate, receiptCreationDate
        // Keys that distinguish the types.
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
    /// Returns a field that only this type has.
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
