public import Foundation
public import HostedContent
public import Logging
public import Networking
public import Purchasing

/// What an app may choose about a manager.
public struct ManagerOptions: Sendable {
    /// The customer's languages as BCP 47 tags, the best first.
    public var languages: [String]
    /// What the app has its say in on a transaction's way.
    public var hooks: AppHooks
    /// When what waits, or could not be loaded, is tried again.
    public var schedule: RetrySchedule
    /// The libraries that the app has used before; `nil` where nothing is to be taken over.
    public var predecessors: PredecessorSource?
    /// Where balances and ownership are written for code that reads them there; `nil` for nowhere.
    public var mirror: PreferenceMirror?
    /// What the customer has asked for in the store is bought as soon as the products are loaded. Otherwise it waits
    /// until ``CatalogManager/buyPromoted()`` is called.
    public var buysPromoted: Bool
    /// What is made of the version "1.0" that Apple's sandbox names for every customer.
    public var sandboxOriginalVersion: SandboxOriginalVersion
    /// What is made of the app receipt; `nil` where it is not looked at.
    public var receipts: ReceiptOptions?
    /// What asks web servers.
    public var transport: any HTTPTransport
    /// How much content is downloaded at once, and when the app allows it.
    public var downloads: DownloadPolicy
    /// What fetches archives from the app's own servers while the app is suspended or gone, as `BackgroundURLSession` does;
    /// `nil` where they come as long as the app runs. Each launch has to have the same one, and belongs to one manager.
    public var backgroundSession: (any BackgroundSession)?
    /// Downloads that the end of the process has interrupted go on with the first load. Otherwise once anybody asks for the
    /// content.
    public var resumesDownloads: Bool
    /// Content of which the catalog asks for another version is downloaded with each load. Otherwise once the app asks.
    public var updatesContent: Bool
    /// Content of what is not owned any more is removed, in a launch in which the server has given its catalog or there is no
    /// server. By a copy, also one that is fresh within `cacheDays`, and by the app's own property list in its place nothing
    /// is removed. Otherwise content is kept, and not given out, for the day on which it is owned again.
    public var removesWithheldContent: Bool
    /// How much room content may take: after each installation, what was used least recently is removed. What was given out
    /// stays as long as the manager is there. `nil` for as much as there is.
    public var contentQuota: ContentQuota?
    /// The folder with what comes with the app: content that is not hosted, and the images that a catalog names by their
    /// files; `nil` where nothing does.
    public var bundledContent: URL?
    /// Images that a catalog names by their addresses are fetched after each load, and kept in the home's `Cache/Images`.
    public var fetchesImages: Bool
    /// How many pixels a point of the screen has on each side, 1 to 3: of an image of the app or of a server that of so many
    /// (`@3x`) is shown, or else that of fewer. A server is asked for one after the other, until it has one.
    public var imageScale: Int
    /// The kind of device, as `ipad` or `iphone`: of the images for one scale that for this kind (`~ipad`) is shown. An iPad
    /// has the scale 2: with 3, `@3x` is shown before `@2x~ipad`. `nil` where there are none.
    public var imageIdiom: String?
    /// The store is asked about at most so many products at a time: two at least.
    public var productBatchSize: Int
    /// What was loaded is loaded again after so long by itself; `nil` for never. Less than a minute counts as one.
    public var refreshInterval: Duration?
    /// Tells that the network may be back, or is another: a load that has failed is then tried again at once, and the app is
    /// asked again about downloads that it did not allow. `nil` where nobody knows.
    public var networkChanges: (@Sendable () -> AsyncStream<Void>)?
    /// The app's build number: a later build prefers its own catalog to what an earlier one has downloaded, where that is
    /// not newer by its version.
    public var appBuild: String?
    /// The app's version: products with a higher `minimumAppVersion` are not offered. `nil` where it is not known: all are.
    public var appVersion: String?
    /// Where events are written; `nil` for nowhere. What identifies a customer's purchases (transactions, accounts, the
    /// words of errors) is written at `debug` and below alone: from `info` on there are product identifiers, codes and
    /// counts.
    public var logger: Logger?
    /// The time at which facts are recorded, and for which ownership is told.
    public var now: @Sendable () -> Date
    /// Whether what the store says is kept for starts without a network. Not for a look as another customer, in another
    /// language or storefront.
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
        /// The best that any screen of Apple's shows.
        public static let usualImageScale = 3
    #else
        /// What desktops with fine screens show.
        public static let usualImageScale = 2
    #endif
}

/// What is made of the version "1.0" that Apple's sandbox names as the first one of every customer.
public enum SandboxOriginalVersion: Sendable, Hashable {
    /// It says nothing: who owns something because of it is not known.
    case unknown
    /// It is taken for this version, to try out what such a customer gets.
    case override(String)
    /// It is taken as it is: the store is a simulated one, which names what it was told to.
    case asSigned
}
