#if canImport(Darwin)
    public import VitrineCatalogLoading
    public import Foundation
    public import VitrineHostedContent
    public import VitrineReceipts
    internal import VitrineStoreKitAdapter

    // Not built or run on Linux.
    extension CatalogManager {
        /// Creates a manager that sells in the App Store, through StoreKit. Transactions are verified with Apple's
        /// roots in the environment that the app transaction names: one build sells in production, in TestFlight and in
        /// App Review.
        ///
        /// ```swift
        /// let manager = try await CatalogManager(catalog: .file(plist))
        /// await manager.loadProducts()
        /// ```
        ///
        /// The manager also observes when the app enters the foreground and when the network is back.
        ///
        /// The call waits for two seconds at most until StoreKit names the environment.
        ///
        /// - Parameters:
        ///   - source: Source of the catalog.
        ///   - testRoots: Roots of a test store that counts as the App Store, such as `TrustedRoots(xcodePEM:)` for
        ///     purchases from a `.storekit` file in Xcode; `nil` in an app that is sold.
        ///   - home: Storage directory of the app. Outside production its subdirectory for the environment is used,
        ///     so that purchases in the sandbox are not owned in production.
        ///   - packages: Folder with the packages of hosted content; `nil` for an app that has none.
        ///   - options: Further options.
        /// - Throws: `LedgerError` if the storage directory or the ledger cannot be used.
        public init(
            catalog source: CatalogSource,
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
            let directory = await verifier.directory(in: home.url)
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
