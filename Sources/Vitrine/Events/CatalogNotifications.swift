public import Foundation

/// What a manager posts once ``CatalogManager/postNotifications(to:)`` was called. Each has the keys `event`, `products` and
/// `error` of ``CatalogNotificationKey``.
extension Notification.Name {
    public static let vitrineStatusDidChange = Notification.Name("VitrineStatusDidChange")
    /// The catalog was read, or could not be.
    public static let vitrineListDidUpdate = Notification.Name("VitrineListDidUpdate")
    /// The store has answered, or has not.
    public static let vitrineProductsDidUpdate = Notification.Name("VitrineProductsDidUpdate")
    /// Some products are shown otherwise than before.
    public static let vitrineListingDidChange = Notification.Name("VitrineListingDidChange")
    public static let vitrineTransactionDidUpdate = Notification.Name("VitrineTransactionDidUpdate")
    /// A transaction is finished, and has left the store's queue.
    public static let vitrineTransactionDidFinish = Notification.Name("VitrineTransactionDidFinish")
    public static let vitrinePurchaseDidComplete = Notification.Name("VitrinePurchaseDidComplete")
    /// A restore has come to its end; with an error where the store could not be asked.
    public static let vitrineRestoreDidComplete = Notification.Name("VitrineRestoreDidComplete")
    /// A download has come further, or content was installed or removed.
    public static let vitrineContentDidChange = Notification.Name("VitrineContentDidChange")
    public static let vitrineReceiptDidValidate = Notification.Name("VitrineReceiptDidValidate")
    public static let vitrineReceiptValidationDidFail = Notification.Name("VitrineReceiptValidationDidFail")
    public static let vitrineOwnershipDidChange = Notification.Name("VitrineOwnershipDidChange")
    public static let vitrineWalletDidChange = Notification.Name("VitrineWalletDidChange")
    /// The notifications have fallen behind: some events were not posted. The manager tells what is true by now.
    public static let vitrineEventsMissed = Notification.Name("VitrineEventsMissed")
    /// Everything else that went wrong or was found out.
    public static let vitrineDidReport = Notification.Name("VitrineDidReport")
}

/// A key of a notification's user info, with the type of what is there.
///
/// ```swift
/// let products = notification[.products]
/// ```
public struct CatalogNotificationKey<Value: Sendable>: Sendable {
    fileprivate let name: String
}

extension CatalogNotificationKey<CatalogEvent> {
    /// What has happened. Always there.
    public static var event: Self { Self(name: "event") }
}

extension CatalogNotificationKey<[String]> {
    /// The identifiers of the products that it is about. Always there.
    public static var products: Self { Self(name: "products") }
}

extension CatalogNotificationKey<any Error> {
    /// What went wrong. There only where something did.
    public static var error: Self { Self(name: "error") }
}

extension Notification {
    /// What a notification of a manager has under a key.
    public subscript<Value>(key: CatalogNotificationKey<Value>) -> Value? { userInfo?[key.name] as? Value }
}

extension CatalogManager {
    /// Posts what happens from now on as notifications: on the main actor, in order, with the manager as their object.
    ///
    /// - Returns: What posts them, until it is cancelled or the manager is stopped or gone.
    @discardableResult
    public nonisolated func postNotifications(to center: NotificationCenter = .default) -> Task<Void, Never> {
        let listener = state.events.listener()
        return Task { @MainActor [weak self] in
            while let event = await listener.next(), let manager = self {
                center.post(name: event.notificationName, object: manager, userInfo: event.userInfo)
            }
        }
    }
}

extension CatalogEvent {
    fileprivate var userInfo: [AnyHashable: Any] {
        var info: [AnyHashable: Any] = [
            CatalogNotificationKey.event.name: self, CatalogNotificationKey.products.name: products,
        ]
        info[CatalogNotificationKey.error.name] = error
        return info
    }

    fileprivate var notificationName: Notification.Name {
        switch self {
        case .loading(.statusChanged): .vitrineStatusDidChange
        case .loading(.catalogUpdated), .loading(.catalogFailed), .loading(.catalogNotRefreshed): .vitrineListDidUpdate
        case .loading(.productsUpdated), .loading(.productsFailed): .vitrineProductsDidUpdate
        case .listingChanged: .vitrineListingDidChange
        case .transaction(.finished), .transaction(.discarded): .vitrineTransactionDidFinish
        case .transaction: .vitrineTransactionDidUpdate
        case .purchase(.answered): .vitrinePurchaseDidComplete
        case .restore(.completed), .restore(.failed): .vitrineRestoreDidComplete
        case .content(.downloadUpdated), .content(.installed), .content(.removed): .vitrineContentDidChange
        case .receipt(.validated): .vitrineReceiptDidValidate
        case .receipt(.validationFailed): .vitrineReceiptValidationDidFail
        case .entitlements(.ownershipChanged): .vitrineOwnershipDidChange
        case .entitlements(.walletChanged): .vitrineWalletDidChange
        case .eventsMissed: .vitrineEventsMissed
        default: .vitrineDidReport
        }
    }
}
