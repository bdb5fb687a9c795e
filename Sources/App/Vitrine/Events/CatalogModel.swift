public import Observation
public import VitrineEntitlements
public import VitrineHostedContent

/// Observable state of a manager, for views.
///
/// ```swift
/// struct Shop: View {
///     @State var model: CatalogModel
///     var body: some View { List(model.listing) { Text($0.title) } }
/// }
/// ```
@available(iOS 17.0, macOS 14.0, tvOS 17.0, visionOS 1.0, *)
@MainActor @Observable
public final class CatalogModel {
    /// Manager that buys, restores, loads and downloads. The model shows the results.
    public let manager: CatalogManager
    public private(set) var status: LoadingStatus
    /// All products in catalog order, offered or not.
    public private(set) var listing: [ProductListing]
    /// The customer's subscriptions, also those that have ended.
    public private(set) var subscriptions: [CustomerSubscription]
    public private(set) var downloads: [DownloadStatus]
    public private(set) var walletBalances: [String: WalletBalance]
    /// Error of the last event that reported one; `nil` if no event has reported an error, or if a purchase, a restore
    /// or a new load has succeeded since.
    public private(set) var lastError: (any Error)?
    /// `true` if an error was reported since the last load began.
    @ObservationIgnored private var hasErrorOfLoad = false
    /// Task that applies the events; ends with their stream.
    @ObservationIgnored private(set) var following: Task<Void, Never>?

    public init(_ manager: CatalogManager) {
        self.manager = manager
        // Subscribes first: a change made while the state is read arrives as an event.
        let events = manager.events()
        status = manager.status
        listing = manager.listing
        subscriptions = manager.subscriptions
        downloads = manager.content.downloads
        walletBalances = manager.wallets.balances
        following = Task { [weak self] in
            for await event in events { self?.handle(event) }
        }
    }

    deinit { following?.cancel() }

    private func handle(_ event: CatalogEvent) {
        handleError(of: event)
        switch event {
        case .loading(.statusChanged(let status)): self.status = status
        // Products may have been removed or reordered.
        case .loading(.catalogUpdated): listing = manager.listing
        case .listingChanged(let changed): show(changed)
        case .content(.downloadUpdated): downloads = manager.content.downloads
        case .entitlements(.subscriptionChanged): subscriptions = manager.subscriptions
        case .entitlements(.walletChanged), .ledger(.lossChanged): walletBalances = manager.wallets.balances
        case .eventsMissed:
            status = manager.status
            listing = manager.listing
            subscriptions = manager.subscriptions
            downloads = manager.content.downloads
            walletBalances = manager.wallets.balances
        default: break
        }
    }

    private func handleError(of event: CatalogEvent) {
        if let error = event.error {
            lastError = error
            hasErrorOfLoad = true
            return
        }
        switch event {
        case .loading(.statusChanged(.productsLoading)): hasErrorOfLoad = false
        case .loading(.statusChanged(.productsLoaded)) where !hasErrorOfLoad: forgetError()
        case .purchase(.answered(_, .success)), .restore(.completed): forgetError()
        default: break
        }
    }

    /// Removes ``lastError``. If there is no error, nothing is changed and views are not notified.
    private func forgetError() { if lastError != nil { lastError = nil } }

    private func show(_ changed: [ProductListing]) {
        // The product may have changed again since the event.
        guard changed.count == 1, let index = listing.firstIndex(where: { $0.id == changed[0].id }),
            let current = manager.listing(for: changed[0].id)
        else {
            listing = manager.listing
            return
        }
        listing[index] = current
    }
}
