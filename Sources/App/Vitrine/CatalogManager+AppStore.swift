#if canImport(Darwin)
    public import VitrineCatalogLoading
    public import Foundation
    public import VitrineHostedContent
    public import VitrineReceipts
    internal import VitrineStoreKitAdapter

    // Not built or run on Linux.
    extension CatalogManager {
        /// Creates a manager that sells in the App Store, through StoreKit. Transactions are verified with Apple's
        /// roots in the environment of this copy of the app: one build sells in production, in TestFlight and in App
        /// Review. A debug build also accepts what StoreKit has verified for a `.storekit` file in Xcode.
        ///
        /// ```swift
        /// let manager = try await CatalogManager(catalog: .file(plist))
        /// await manager.loadProducts()
        /// ```
        ///
        /// The manager also observes when the app enters the foreground and when the network is back.
        ///
        /// The environment is read from the device, so that StoreKit has no reason to ask the customer to sign in. Only
        /// a debug build on a device waits, for two seconds at most, until StoreKit names the environment.
        ///
        /// - Parameters:
        ///   - source: Source of the catalog.
        ///   - environment: Environment of this copy of the app; `nil` to determine it. `sandbox` is needed for a debug
        ///     build in a simulator that buys without a `.storekit` file.
        ///   - testRoots: Roots of a test store whose transactions are accepted outside production; `nil` in a released
        ///     app.
        ///   - home: Storage directory of the app. Outside production its subdirectory for the environment is used,
        ///     so that purchases in the sandbox are not owned in production.
        ///   - packages: Folder with the packages of hosted content; `nil` for an app that has none.
        ///   - options: Further options.
        /// - Throws: `LedgerError` if the storage directory or the ledger cannot be used.
        public init(
            catalog source: CatalogSource,
            environment: StoreEnvironment? = nil,
            testRoots: TrustedRoots? = nil,
            home: Home = Home(
                url: .applicationSupportDirectory.appending(path: "Vitrine", directoryHint: .isDirectory)),
            content packages: PackageFolder? = nil,
            options: ManagerOptions = ManagerOptions()
        ) async throws(LedgerError) {
            let store = StoreKitStore()
            // Every app has a bundle identifier; nothing is signed for an empty one.
            let verifier = AppStoreVerifier(
                store: store, bundleIdentifier: Bundle.main.bundleIdentifier ?? "", testRoots: testRoots,
                now: options.date)
            let directory = await verifier.directory(in: home.url, for: environment)
            var options = options
            options.loading.networkChanges = options.loading.networkChanges ?? ManagerOptions.deviceNetworkChanges
            try await self.init(
                catalog: source, store: store, verifier: verifier, home: Home(url: directory), content: packages,
                options: options)
            #if canImport(UIKit) || canImport(AppKit)
                followForeground()
            #endif
        }
    }
#endif
