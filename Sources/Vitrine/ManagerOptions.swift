public import Foundation
public import HostedContent
public import Logging
public import Networking
public import Purchasing

/// Options of a ``CatalogManager``.
public struct ManagerOptions: Sendable {
    /// Languages of the customer as BCP 47 tags, in order of preference.
    public var languages: [String]
    /// Hooks that let the app take part in the processing of a transaction.
    public var hooks: AppHooks
    /// Schedule for retrying pending work and failed loads.
    public var schedule: RetrySchedule
    /// Legacy libraries that the app has used before; `nil` if nothing is to be imported.
    public var predecessors: PredecessorSource?
    /// Mirror that writes balances and ownership to preferences, for code that reads them there; `nil` to write none.
    public var mirror: PreferenceMirror?
    /// Flag that allows buying products that the customer requested in the store as soon as products are loaded.
    /// Otherwise the purchase waits until ``CatalogManager/Purchases/buyPromoted()`` is called.
    public var buysPromoted: Bool
    /// Treatment of the version "1.0", which Apple's sandbox reports for every customer.
    public var sandboxOriginalVersion: SandboxOriginalVersion
    /// Options for the app receipt; `nil` if the receipt is not read.
    public var receipts: ReceiptOptions?
    /// Transport for requests to web servers.
    public var transport: any HTTPTransport
    /// Policy for downloads: how much content is downloaded at once, and when the app allows it.
    public var downloads: DownloadPolicy
    /// Session that downloads archives from the app's own servers while the app is suspended or not running, such as
    /// `BackgroundURLSession`; `nil` to download only while the app runs. Each launch must use the same session, and a
    /// session belongs to one manager.
    public var backgroundSession: (any BackgroundSession)?
    /// Flag that resumes, with the first load, downloads that the end of the process interrupted. Otherwise they resume
    /// when the content is requested.
    public var resumesDownloads: Bool
    /// Flag that downloads, with each load, content for which the catalog requires another version. Otherwise updates
    /// are downloaded at the app's request.
    public var updatesContent: Bool
    /// Flag that removes the content of products that are no longer owned, in a launch in which the server has
    /// delivered its catalog or there is no server. Nothing is removed because of a cached catalog, even one that is
    /// fresh within `cacheDays`, or of the app's own property list in its place. Otherwise content is kept, and not
    /// provided, until it is owned again.
    public var removesWithheldContent: Bool
    /// Maximum storage for content: after each installation, the least recently used content is removed. Content that
    /// was provided stays while the manager exists. `nil` for no limit.
    public var contentQuota: ContentQuota?
    /// Folder of the files bundled with the app: content that is not hosted, and the images that a catalog names by
    /// their files; `nil` if there are none.
    public var bundledContent: URL?
    /// Flag that fetches images with web addresses after each load, and caches them in `Cache/Images` of the storage
    /// directory.
    public var fetchesImages: Bool
    /// Number of pixels per screen point in each direction, from 1 to 3. Among the variants of an image of the app or
    /// of a server, the one for this scale (`@3x`) is shown, or else one for a lower scale. Variants are requested from
    /// a server one after the other, until it has one.
    public var imageScale: Int
    /// Device type, such as `ipad` or `iphone`: among the images for one scale, the one for this type (`~ipad`) is
    /// shown. An iPad has scale 2: with 3, `@3x` is shown before `@2x~ipad`. `nil` if there are no such images.
    public var imageIdiom: String?
    /// Maximum number of products in a request to the store, at least two.
    public var productBatchSize: Int
    /// Interval after which products are loaded again automatically; `nil` for never. An interval below one minute is
    /// treated as one minute.
    public var refreshInterval: Duration?
    /// Function that returns a stream with an element whenever the network may be available again or has changed: a
    /// failed load is then retried at once, and the app is asked again about downloads that it did not allow. `nil` if
    /// network changes are not observed.
    public var networkChanges: (@Sendable () -> AsyncStream<Void>)?
    /// Build number of the app: a newer build prefers its own catalog to one that an older build has downloaded, unless
    /// the downloaded catalog has a higher version.
    public var appBuild: String?
    /// Version of the app: products with a higher `minimumAppVersion` are not offered. `nil` if it is not known: all
    /// are offered.
    public var appVersion: String?
    /// Logger for events; `nil` for no log. Data that identifies a customer's purchases (transactions, accounts, error
    /// messages) is logged only at `debug` and below: from `info` on, the log contains product identifiers, codes and
    /// counts.
    public var logger: Logger?
    /// Function that returns the current date, at which facts are recorded and ownership is evaluated.
    public var now: @Sendable () -> Date
    /// Flag that stores the store's response for launches without a network. Not for a preview as another customer, or
    /// in another language or storefront.
    package var keepsStoreAnswer = true

    public init(
        languages: [String] = Locale.preferredLanguages, hooks: AppHooks = AppHooks(),
        schedule: RetrySchedule = RetrySchedule(), predecessors: PredecessorSource? = nil,
        mirror: PreferenceMirror? = nil, buysPromoted: Bool = true,
        sandboxOriginalVersion: SandboxOriginalVersion = .unknown, receipts: ReceiptOptions? = nil,
        transport: any HTTPTransport = DefaultTransport(), downloads: DownloadPolicy = DownloadPolicy(),
        backgroundSession: (any BackgroundSession)? = nil, resumesDownloads: Bool = true, updatesContent: Bool = false,
        removesWithheldContent: Bool = false,
        contentQuota: ContentQuota? = nil, bundledContent: URL? = Bundle.main.resourceURL,
        fetchesImages: Bool = true, imageScale: Int = Self.usualImageScale, imageIdiom: String? = nil,
        productBatchSize: Int = 200,
        refreshInterval: Duration? = nil, networkChanges: (@Sendable () -> AsyncStream<Void>)? = nil,
        appBuild: String? = Bundle.main.infoDictionary?["CFBundleVersion"] as? String,
        appVersion: String? = Bundle.main.infoDictionary?["CFBundleShortVersionString"] as? String,
        logger: Logger? = nil, now: @escaping @Sendable () -> Date = { Date() }
    ) {
        self.languages = languages
        self.hooks = hooks
        self.schedule = schedule
        self.predecessors = predecessors
        self.mirror = mirror
        self.buysPromoted = buysPromoted
        self.sandboxOriginalVersion = sandboxOriginalVersion
        self.receipts = receipts
        self.transport = transport
        self.downloads = downloads
        self.backgroundSession = backgroundSession
        self.resumesDownloads = resumesDownloads
        self.updatesContent = updatesContent
        self.removesWithheldContent = removesWithheldContent
        self.contentQuota = contentQuota
        self.bundledContent = bundledContent
        self.fetchesImages = fetchesImages
        self.imageScale = imageScale
        self.imageIdiom = imageIdiom
        self.productBatchSize = productBatchSize
        self.refreshInterval = refreshInterval
        self.networkChanges = networkChanges
        self.appBuild = appBuild
        self.appVersion = appVersion
        self.logger = logger
        self.now = now
    }

    #if canImport(Darwin)
        /// Default image scale: the highest of any Apple screen.
        public static let usualImageScale = 3
    #else
        /// Default image scale: that of desktops with high-resolution screens.
        public static let usualImageScale = 2
    #endif
}

/// Treatment of the version "1.0", which Apple's sandbox reports as the original version for every customer.
public enum SandboxOriginalVersion: Sendable, Hashable {
    /// No information: ownership that depends on the original version is unknown.
    case unknown
    /// Replacement by this version, to test what such a customer gets.
    case override(String)
    /// Acceptance as signed, for a simulated store that reports a configured version.
    case asSigned
}
