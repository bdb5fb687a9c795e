public import Foundation

/// Notifications of a manager for which ``CatalogManager/postNotifications(to:)`` was called. The user info has the
/// keys `event`, `products` and `error` of ``CatalogNotificationKey``.
extension Notification.Name {
    public static let vitrineStatusDidChange = Notification.Name("VitrineStatusDidChange")
    /// The `requestStatus` has changed. Before it becomes `waitingForRetry`, it becomes `failed`.
    public static let vitrineRequestStatusDidChange = Notification.Name("VitrineRequestStatusDidChange")
    /// The catalog was loaded, or could not be loaded.
    public static let vitrineListDidUpdate = Notification.Name("VitrineListDidUpdate")
    /// The store has answered about the products or could not be queried, or no catalog is available for the query.
    public static let vitrineProductsDidUpdate = Notification.Name("VitrineProductsDidUpdate")
    /// The listed state of some products has changed: their price, ownership, download or purchase in progress.
    public static let vitrineListingDidChange = Notification.Name("VitrineListingDidChange")
    public static let vitrineTransactionDidUpdate = Notification.Name("VitrineTransactionDidUpdate")
    /// A transaction is finished and no longer in the store's queue.
    public static let vitrineTransactionDidFinish = Notification.Name("VitrineTransactionDidFinish")
    /// A purchase call was answered, or a purchase that no call waits for is complete.
    public static let vitrinePurchaseDidComplete = Notification.Name("VitrinePurchaseDidComplete")
    /// A restore has ended, with an error if the store could not be queried.
    public static let vitrineRestoreDidComplete = Notification.Name("VitrineRestoreDidComplete")
    /// A download has made progress, or content was installed or removed.
    public static let vitrineContentDidChange = Notification.Name("VitrineContentDidChange")
    public static let vitrineReceiptDidValidate = Notification.Name("VitrineReceiptDidValidate")
    public static let vitrineReceiptValidationDidFail = Notification.Name("VitrineReceiptValidationDidFail")
    public static let vitrineOwnershipDidChange = Notification.Name("VitrineOwnershipDidChange")
    public static let vitrineSubscriptionDidChange = Notification.Name("VitrineSubscriptionDidChange")
    /// Another App Store account is signed in on the device.
    public static let vitrineAccountDidChange = Notification.Name("VitrineAccountDidChange")
    public static let vitrineWalletDidChange = Notification.Name("VitrineWalletDidChange")
    /// Some events were not posted, because notifications were processed too slowly. The manager has the current state.
    public static let vitrineEventsMissed = Notification.Name("VitrineEventsMissed")
    /// The manager has sent an event for which there is no other notification.
    public static let vitrineDidReport = Notification.Name("VitrineDidReport")
}

/// Key of a notification's user info, with the type of its value.
///
/// ```swift
/// let products = notification[.products]
/// ```
public struct CatalogNotificationKey<Value: Sendable>: Sendable {
    fileprivate let name: String
}

extension CatalogNotificationKey<CatalogEvent> {
    /// Event that the notification reports; always present.
    public static var event: Self { Self(name: "event") }
}

extension CatalogNotificationKey<[String]> {
    /// Identifiers of the products that the event concerns; always present.
    public static var products: Self { Self(name: "products") }
}

extension CatalogNotificationKey<any Error> {
    /// Error that the event reports; absent if there is none.
    public static var error: Self { Self(name: "error") }
}

extension Notification {
    /// Returns the value of a manager's notification for a key.
    public subscript<Value>(key: CatalogNotificationKey<Value>) -> Value? { userInfo?[key.name] as? Value }
}

extension CatalogManager {
    /// Posts all events from now on as notifications: on the main actor, in order, with the manager as their object.
    ///
    /// - Returns: Task that posts them until it is cancelled, or the manager is stopped or deallocated.
    @discardableResult
    public nonisolated func postNotifications(to center: NotificationCenter = .default) -> Task<Void, Never> {
        let listener = state.events.listener()
        return Task { @MainActor [weak self] in
            while let event = await listener.next(), let manager = self {
                for name in event.notificationNames {
                    center.post(name: name, object: manager, userInfo: event.userInfo)
                }
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

    /// Names of the notifications that report the event. If there is no catalog, a screen that waits for products is
    /// notified too.
    fileprivate var notificationNames: [Notification.Name] {
        if case .loading(.catalogFailed) = self {
            [.vitrineListDidUpdate, .vitrineProductsDidUpdate]
        } else {
            [notificationName]
        }
    }

    private var notificationName: Notification.Name {
        switch self {
        case .loading(.statusChanged): .vitrineStatusDidChange
        case .loading(.requestStatusChanged): .vitrineRequestStatusDidChange
        case .loading(.catalogUpdated), .loading(.catalogFailed), .loading(.catalogNotRefreshed): .vitrineListDidUpdate
        case .loading(.productsUpdated), .loading(.productsFailed): .vitrineProductsDidUpdate
        case .listingChanged: .vitrineListingDidChange
        case .transaction(.finished), .transaction(.discarded): .vitrineTransactionDidFinish
        case .transaction: .vitrineTransactionDidUpdate
        case .purchase(.answered), .purchase(.completed): .vitrinePurchaseDidComplete
        case .restore(.completed), .restore(.failed): .vitrineRestoreDidComplete
        case .content(.downloadUpdated), .content(.installed), .content(.removed): .vitrineContentDidChange
        case .receipt(.validated): .vitrineReceiptDidValidate
        case .receipt(.validationFailed): .vitrineReceiptValidationDidFail
        case .entitlements(.ownershipChanged): .vitrineOwnershipDidChange
        case .entitlements(.subscriptionChanged): .vitrineSubscriptionDidChange
        case .entitlements(.accountChanged): .vitrineAccountDidChange
        case .entitlements(.walletChanged): .vitrineWalletDidChange
        case .eventsMissed: .vitrineEventsMissed
        default: .vitrineDidReport
        }
    }
}
