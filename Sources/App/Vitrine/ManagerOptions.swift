public import Foundation
public import Logging
public import VitrineHostedContent
public import VitrineNetworking
public import VitrinePurchasing

/// Options of a ``CatalogManager``, each with a default.
///
/// ```swift
/// var options = ManagerOptions()
/// options.content.removesWithheld = true
/// options.loading.refreshInterval = .seconds(3600)
/// ```
public struct ManagerOptions: Sendable {
    /// Languages of the customer as BCP 47 tags, in order of preference.
    public var languages = Locale.preferredLanguages
    /// Build number of the app: a newer build prefers its own catalog to one that an older build has downloaded, unless
    /// the downloaded catalog has a higher version.
    public var appBuild = Bundle.main.infoDictionary?["CFBundleVersion"] as? String
    /// Version of the app: products with a higher `minimumAppVersion` are not offered. `nil` if it is not known: all
    /// are offered.
    public var appVersion = Bundle.main.infoDictionary?["CFBundleShortVersionString"] as? String
    /// Folder of the files bundled with the app: content that is not hosted, and the images that a catalog names by
    /// their files; `nil` if there are none.
    public var bundledFiles = Bundle.main.resourceURL
    public var purchases = Purchases()
    public var loading = Loading()
    public var content = Content()
    public var images = Images()
    /// The app's own server; `nil` if the app has none.
    public var server: Server?
    /// Data of the legacy libraries that the app has used before; `nil` if nothing is to be imported.
    public var legacyData: LegacyDataSource?
    /// Mirror that writes balances and ownership to preferences, for code that reads them there; `nil` to write none.
    public var mirror: PreferenceMirror?
    /// File in which the extensions of the app read what the customer owns; `nil` to write none.
    public var snapshot: OwnershipSnapshotFile?
    /// Logger for events; `nil` for no log. Data that identifies a customer's purchases (transactions, accounts, error
    /// messages) is logged only at `debug` and below: from `info` on, the log contains product identifiers, codes and
    /// counts.
    public var logger: Logger?
    /// Function that returns the machine's current date. Facts are dated and the end of entitlements is determined by
    /// this date, unless ``clock`` is set.
    public var now: @Sendable () -> Date = { Date() }
    /// Clock for the dates of facts, the end of entitlements and the age of catalogs, such as the clock of a simulated
    /// store; `nil` for the machine's clock. Retries and downloads always follow the machine's clock.
    public var clock: Clock?
    /// Function that makes identifiers for the tokens of grants and locks. Each one differs from all others, on any
    /// device.
    package var makeIdentifier: @Sendable () -> String = { UUID().uuidString.lowercased() }

    public init() {}

    /// Returns the current date of ``clock``, or of the machine's clock if ``clock`` is `nil`.
    var date: @Sendable () -> Date { clock?.now ?? now }

    /// Clock other than the machine's, such as one for tests that is advanced by hand.
    ///
    /// ```swift
    /// let clock = store.clock  // of a SimulatedStore
    /// options.clock = ManagerOptions.Clock(now: { clock.now }, sleepUntil: { try await clock.sleep(until: $0) })
    /// ```
    public struct Clock: Sendable {
        /// Function that returns the current date of the clock.
        public var now: @Sendable () -> Date
        /// Function that returns as soon as the clock has reached a date or was set back, and throws if the task is
        /// cancelled.
        public var sleepUntil: @Sendable (Date) async throws -> Void

        public init(
            now: @escaping @Sendable () -> Date, sleepUntil: @escaping @Sendable (Date) async throws -> Void
        ) {
            self.now = now
            self.sleepUntil = sleepUntil
        }
    }

    /// Options for buying, and for the proof of purchases.
    public struct Purchases: Sendable {
        /// Hooks of the app: its own verification and delivery of transactions.
        public var hooks = AppHooks()
        /// Limit for the time that calls of the manager wait for hooks of the app, 30 seconds by default. A purchase
        /// waits for the hooks of its own transaction as long as they take.
        public var hookLimit = HookLimit()
        /// `true` to buy the products that the customer requested in the store, as soon as products are loaded.
        /// Otherwise these purchases wait until ``CatalogManager/Purchases/buyPromoted()`` is called.
        public var buysPromoted = true
        /// Policy for what was bought on the device, once another App Store account is signed in.
        public var accounts = AccountPolicy.keepAll
        /// Options for the app receipt; `nil` if the receipt is not read.
        public var receipts: ReceiptOptions?
        /// Treatment of the version "1.0", which Apple's sandbox reports as the original version for every customer.
        public var sandboxOriginalVersion = SandboxOriginalVersion.unknown
        /// Time for which a subscription that was to renew remains owned after its period while the store has not
        /// answered, such as on a device without a network. After that its ownership is unknown.
        public var renewalLeeway = Duration.seconds(16 * 86_400)

        /// ``renewalLeeway`` in seconds.
        var renewalLeewaySeconds: TimeInterval { renewalLeeway / .seconds(1) }
    }

    /// Options for loading the catalog and its products.
    public struct Loading: Sendable {
        /// Schedule for retrying pending work and failed loads.
        public var schedule = RetrySchedule()
        /// Interval after which products are loaded again automatically; `nil` for never. An interval below one minute
        /// is treated as one minute.
        public var refreshInterval: Duration?
        /// Maximum number of products in a request to the store, at least two.
        public var productBatchSize = 200
        /// Transport for requests to web servers.
        public var transport: any HTTPTransport = DefaultTransport()
        /// Function that returns a stream with an element whenever the network may be available again or has changed: a
        /// failed load is then retried at once, and the app is asked again about downloads that it did not allow. `nil`
        /// if network changes are not observed.
        public var networkChanges: (@Sendable () -> AsyncStream<Void>)?
        /// `true` to store the store's response for launches without a network; `false` for a preview as another
        /// customer, or in another language or storefront.
        package var keepsStoreSnapshot = true
    }

    /// Options for hosted content.
    public struct Content: Sendable {
        /// Policy for downloads: how much content is downloaded at once, and when the app allows it.
        public var downloads = DownloadPolicy()
        /// Session that downloads archives from the app's own servers while the app is suspended or not running, such
        /// as `BackgroundURLSession`; `nil` to download only while the app runs. Each launch must use the same session,
        /// and a session belongs to one manager.
        public var backgroundSession: (any BackgroundSession)?
        /// `true` to resume, with the first load, downloads that the end of the process interrupted. Otherwise they
        /// resume when the content is requested.
        public var resumesDownloads = true
        /// `true` to download, with each load, content whose installed version differs from the catalog's. Otherwise
        /// updates are downloaded at the app's request.
        public var downloadsUpdates = false
        /// `true` to remove the content of products that are no longer owned, in a launch in which the server has
        /// delivered its catalog or there is no server. Nothing is removed because of a cached catalog, even one that
        /// is fresh within `cacheDays`, or because of the app's own property list in its place. Otherwise the content
        /// remains installed, but is not provided to the app until its product is owned again.
        public var removesWithheld = false
        /// Maximum storage for content: after each installation, the least recently used content is removed. Content
        /// whose URL the app has received stays while the manager exists. `nil` for no limit.
        public var quota: ContentQuota?
        /// Source in place of servers, such as one without a network: content with an address in the catalog comes from
        /// the folder of packages, or else from this source, and no server is asked. `nil` to ask the servers.
        package var replacementForServers: (any ContentSource)?
    }

    /// Options for the images of products.
    public struct Images: Sendable {
        /// `true` to fetch images with web addresses after each load, and to cache them in `Cache/Images` of the
        /// storage directory.
        public var areFetched = true
        /// Number of pixels per screen point in each direction, from 1 to 3: by default the highest of any Apple
        /// screen, and 2 on other systems. Among the variants of an image of the app or of a server, the one for this
        /// scale (`@3x`) is shown, or else one for a lower scale. Variants are requested from a server one after the
        /// other, until the server has one.
        public var scale = Self.defaultScale
        /// Device type, such as `ipad` or `iphone`: among the images for one scale, the one for this type (`~ipad`) is
        /// shown. An iPad has scale 2: with 3, `@3x` is shown before `@2x~ipad`. `nil` if there are no such images.
        public var idiom: String?

        #if canImport(Darwin)
            private static let defaultScale = 3
        #else
            private static let defaultScale = 2
        #endif
    }
}

/// Treatment of the version "1.0", which Apple's sandbox reports as the original version for every customer.
public enum SandboxOriginalVersion: Sendable, Hashable {
    /// Treatment as unknown: ownership that depends on the original version is unknown.
    case unknown
    /// Replacement by this version, to test which products a customer with this version owns.
    case override(String)
    /// Acceptance as signed, for a simulated store that reports a configured version.
    case asSigned
}
