import Foundation
import VitrinePurchasing
import VitrineReceipts
import VitrineStoreSimulator

/// Notifications of a simulated store about a series of changes, each verified once.
struct NotificationStory: Sendable {
    /// Notifications in the order of the changes.
    let notifications: [SignedNotification]
    /// Date of the store after the last change.
    let end: Date
    /// Verifier that accepts the signed data in the notifications.
    let verifier: KnownVerifications

    /// Start date of a story: January 15.
    private static let start = Date(timeIntervalSince1970: 1_800_000_000)

    /// Creates a story.
    ///
    /// - Parameter tell: Function that changes a store in which subscriptions have a grace period.
    init(_ tell: (SimulatedStore) async throws -> Void) async throws {
        let store = try ServedStore.club()
        try await store.useVirtualClock(at: Self.start)
        try await store.setGracePeriod(true)
        try await store.setNotificationURL(URL(string: "https://club.example.com/notifications"))
        try await tell(store)
        let verifier = SignedDataVerifier(
            roots: try TrustedRoots(pem: store.rootCertificate), bundleIdentifier: ServedStore.bundle,
            environment: store.environment)
        var notifications: [SignedNotification] = []
        for made in try await store.notifications() {
            guard case .verified(let notification) = await verifier.verify(notification: made.signedPayload) else {
                throw UnverifiedNotification(type: made.type)
            }
            notifications.append(notification)
        }
        self.notifications = notifications
        end = store.clock.now
        self.verifier = KnownVerifications(notifications)
    }

    struct UnverifiedNotification: Error {
        let type: String
    }

    /// Returns the types and subtypes of notifications in an order.
    func names(_ order: [Int]) -> [String] {
        order.map { index in
            let payload = notifications[index].payload
            return payload.type.rawValue + (payload.subtype.map { "/\($0.rawValue)" } ?? "")
        }
    }

    /// Types and subtypes of all notifications, in the order of the changes.
    var names: [String] { names(Array(notifications.indices)) }
}

/// Verifier that accepts only the signed data of verified notifications.
struct KnownVerifications: TransactionVerifier {
    private let transactions: [String: SignedTransaction]
    private let renewals: [String: SignedRenewal]

    init(_ notifications: [SignedNotification]) {
        transactions = Dictionary(
            notifications.compactMap(\.transaction).map { ($0.signedData, $0) }, uniquingKeysWith: { $1 })
        renewals = Dictionary(
            notifications.compactMap(\.renewal).map { ($0.signedData, $0) }, uniquingKeysWith: { $1 })
    }

    func verify(transaction signedData: String) async -> Verification<SignedTransaction> {
        transactions[signedData].map { .verified($0) } ?? .undetermined("no notification contains the transaction")
    }

    func verify(appTransaction signedData: String) async -> Verification<SignedAppTransaction> {
        .undetermined("no notification contains an app transaction")
    }

    func verify(renewal signedData: String) async -> Verification<SignedRenewal> {
        renewals[signedData].map { .verified($0) } ?? .undetermined("no notification contains the renewal information")
    }
}
