import ArgumentParser
import Foundation
import Vitrine
import VitrineCatalog
import VitrineCommandSupport
import VitrineEntitlements
import VitrineEntitlementsSQLite
import VitrineHostedContent
import VitrinePurchasing
import VitrineStoreSimulator
import VitrineSupport

struct InitCommand: ReportingCommand {
    static let configuration = CommandConfiguration(
        commandName: "init",
        abstract: "Set up a home, or change the settings of an existing one.",
        discussion: """
            The home stores the location of the catalog: a file, a URL, or both. With both, the remote catalog is \
            preferred, and the file is used until the remote one is available. The file of --store is copied into the \
            home, and a key with which the simulated store signs is created once. Without --store, a new home's store \
            is made of the file of --catalog, with placeholders for prices and for what else the catalog does not \
            name. In an existing home, only the settings that the options name are changed, and never the owned products.

            With --original-build or --original-version, the store signs a statement about the customer's first \
            installation of the app; without these options the first installation is unknown.

            The exit status is 1 if the catalog has only products with errors, and 65 if a store should be made of it.

            EXAMPLE:
              vitrine init --catalog Catalogs/Voyager.plist
              vitrine init --catalog Catalogs/Voyager.plist \\
                --store Catalogs/Voyager.storekit --content HostedContent \\
                --original-build 150 --original-date 2019-05-01
              vitrine init --remote https://example.com/Voyager.plist --root root.pub
              vitrine init --home tablet --catalog Catalogs/Voyager.plist \\
                --join .vitrine/Store --customer default --device tablet
            """
    )

    @Option(help: ArgumentHelp("The property list with the app's products.", valueName: "plist"), completion: .catalog)
    var catalog: String?

    @OptionGroup var remote: RemoteOptions

    @Option(
        help: ArgumentHelp(
            "The StoreKit configuration with the products that the simulated store sells. (default: made of the catalog)",
            valueName: "file.storekit"),
        completion: .storeConfiguration)
    var store: String?

    @Option(
        help: ArgumentHelp(
            "The bundle identifier of the app that a new simulated store serves. (default: com.example.app)",
            valueName: "id"))
    var bundle: String?

    @Option(
        help: ArgumentHelp(
            "The number from which a new simulated store derives its transaction numbers. (default: random)",
            valueName: "number"))
    var seed: UInt64?

    @Option(
        help: ArgumentHelp("The folder with the packages of hosted content.", valueName: "folder"),
        completion: .directory)
    var content: String?

    @Option(
        help: ArgumentHelp("The build of the app that the customer first installed, on iOS.", valueName: "number"))
    var originalBuild: String?

    @Option(
        help: ArgumentHelp("The version of the app that the customer first installed, on macOS.", valueName: "number"))
    var originalVersion: String?

    @Option(
        help: ArgumentHelp("The day of the first installation, such as 2019-05-01. (default: today)", valueName: "date")
    )
    var originalDate: String?

    @Option(
        help: ArgumentHelp(
            """
            What is owned after another App Store account was signed in ('vitrine store account'): everything that was \
            bought on this device (keep), or only what the present account owns (separate). (default: keep)
            """,
            valueName: "policy"))
    var accounts: RawArgument<AccountPolicy>?

    @OptionGroup var join: JoinOptions
    @OptionGroup var home: HomeOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard join.join == nil || store == nil && bundle == nil && seed == nil else {
            throw ValidationError("--join cannot be combined with --store, --bundle or --seed.")
        }
        try PathArgument.validate([catalog, store, content])
        if let bundle { _ = try BundleArgument.checked(bundle) }
        guard originalBuild == nil || originalVersion == nil else {
            throw ValidationError("Use either --original-build or --original-version, not both.")
        }
        let version = originalBuild ?? originalVersion
        guard version.map({ VersionNumber($0) != nil }) ?? true else {
            throw ValidationError("\(version ?? "") is not a build or version number.")
        }
        guard originalDate == nil || version != nil else {
            throw ValidationError("--original-date needs --original-build or --original-version.")
        }
        guard originalDate == nil || parsedDate != nil else {
            throw ValidationError("\(originalDate ?? "") is not a day since 1970, such as 2019-05-01.")
        }
    }

    private var parsedDate: Date? { originalDate.flatMap(Date.init(day:)) }

    func report() async throws -> Report {
        let home = home.folder
        let (settings, isDamaged) = try readSettings(of: home)
        let isNew = settings == nil && !isDamaged
        // The damaged settings may have contained the joined store of another storage directory.
        let needsStore = isNew || isDamaged && !home.hasOwnStore
        // A store that exists without settings, or that damaged settings may have named, is not replaced unasked.
        let makesStore = isNew && !home.hasOwnStore && store == nil && join.join == nil && catalog != nil
        guard !isNew || (catalog ?? remote.remote) != nil, !needsStore || makesStore || (store ?? join.join) != nil
        else {
            throw ToolFailure(
                status: .usage,
                reason:
                    "a new home needs --catalog or --remote or both, and --store or --join unless its store is made "
                    + "of --catalog")
        }
        let joined = try join.store(after: settings?.store, in: home)
        try checkStore(in: home, joined, isNew: makesStore || store != nil)
        _ = try remote.settings(after: settings?.remote) { "" }
        var changes: [String] = []
        let checked = try catalog.map(Catalog.printingDiagnostics)
        let products = checked?.products.count
        if makesStore, products == 0 {
            throw ToolFailure(
                status: .unusableData,
                reason: "\(catalog ?? "") has no products of which a store can be made: nothing was set up")
        }
        if let catalog, let products {
            changes.append("\(products) \(products == 1 ? "product" : "products") in \(catalog)")
        }
        let packages = try content.map(checkedPackages)?.count
        if let content, let packages {
            changes.append("\(packages) \(packages == 1 ? "package" : "packages") in \(content)")
        }
        let sold = try configuration(makesStore ? checked : nil).map { path, data, configuration in
            try createStore(from: data, configuration, of: path, in: home.store)
        }
        if let sold { changes.append("\(sold.products) for sale in \(store ?? "a store made of the catalog")") }
        let openStore = { try joined?.open() ?? SimulatedStore(folder: home.store, customer: settings?.customer) }
        if let joined, join.join != nil {
            _ = try joined.open(mayAdd: true)
            changes.append(joined.description)
        }
        let purchase = try originalPurchase { try openStore().clock.now }
        if let purchase {
            try await openStore().setOriginalPurchase(purchase)
            changes.append("app first installed \(purchase.description)")
        }
        let remoteSettings = try remote.settings(after: settings?.remote) { try openStore().bundleIdentifier }
        let newRemote = remote.isNamed ? remoteSettings : nil
        if let newRemote { changes.append(newRemote.description) }
        if let accounts { changes.append(accounts.value.change) }
        // The empty ledger is created now, so that a ledger that is missing later is detected.
        if isNew {
            try HomeSettings.createFolder(of: home)
            _ = try SQLiteLedger(url: home.ledger)
        }
        let (catalogPath, contentPath) = (catalog.map(absolutePath), content.map(absolutePath))
        // The settings are written last, because a folder with settings counts as a complete storage directory.
        let isChanged = catalogPath != nil || contentPath != nil || remoteSettings != nil || join.join != nil
        if isChanged || accounts != nil {
            try HomeSettings(
                catalog: catalogPath ?? settings?.catalog, remote: remoteSettings,
                content: contentPath ?? settings?.content, store: joined, customer: settings?.customer,
                accounts: accounts?.value.rawValue ?? settings?.accounts, exchange: settings?.exchange
            ).write(to: home)
        }
        return Report(
            lines: [
                "\(home.url.relativePath): \(changes.isEmpty ? "nothing changed" : changes.joined(separator: ", "))"
            ],
            json: [
                "home": home.url.path(percentEncoded: false), "catalog": catalogPath, "products": products,
                "remote": newRemote?.url, "signatures": newRemote.map { $0.signatures?.mode.rawValue ?? "off" },
                "sold": sold, "content": contentPath, "packages": packages, "originalVersion": purchase?.version,
                "originalDate": purchase?.date, "joined": join.join == nil ? nil : joined?.folder,
                "customer": join.customer, "device": join.device, "accounts": accounts?.value.rawValue,
            ],
            status: checked?.isEmptyBecauseOfErrors == true ? .no : .yes)
    }

    /// Reads the settings of the storage directory. Damaged settings are replaced if the command has a new catalog.
    private func readSettings(of home: Home) throws -> (settings: HomeSettings?, isDamaged: Bool) {
        do {
            return (try HomeSettings.read(from: home), false)
        } catch let failure as ToolFailure where failure.status == .unusableData {
            guard (catalog ?? remote.remote) != nil else { throw failure }
            Console.say(
                "warning: \(failure.reason): the file is replaced; settings that this command does not name are lost")
            return (nil, true)
        }
    }

    /// Reads the packages of hosted content in a folder, with the checks of an installation.
    private func checkedPackages(in path: String) throws -> [ContentPackage] {
        let packages = try PackageFolder(url: URL(filePath: path, directoryHint: .isDirectory)).packages()
        guard !packages.isEmpty else {
            throw ToolFailure(
                status: .noInput,
                reason:
                    "\(path) has no folder with a ContentInfo.plist; 'vitrine content new' makes a package of a folder")
        }
        return packages
    }

    /// Returns the original purchase of the app that the options describe; `nil` if they contain neither build nor
    /// version.
    ///
    /// - Parameter today: Function that returns the current date of the store.
    private func originalPurchase(today: () throws -> Date) rethrows -> OriginalPurchase? {
        guard let version = originalBuild ?? originalVersion else { return nil }
        return OriginalPurchase(
            version: version, date: try parsedDate ?? today(), platform: originalBuild == nil ? .macOS : .iOS)
    }

    /// Returns the StoreKit configuration of the file, or one that is made of a catalog, with its path for messages; `nil`
    /// without both.
    private func configuration(_ catalog: Catalog?) throws -> (path: String, Data, StoreConfiguration)? {
        if let store {
            let (data, configuration) = try StoreFile.read(store)
            return (store, data, configuration)
        }
        guard let catalog else { return nil }
        let draft = StoreConfigurationDraft(catalog)
        let data = Data(draft.bytes)
        if draft.isMissingProducts {
            Console.say(
                "warning: the store lacks the products whose type the catalog does not name: add their types, or name a "
                    + "file with --store")
        }
        Console.say(
            "the store is made of the catalog, with placeholders such as the price "
                + "\(StoreConfigurationDraft.placeholderPrice): 'vitrine convert \(self.catalog?.inShell ?? "") --to storekit' "
                + "makes a file for --store, in which you set prices and offers")
        do {
            return ("the store made of the catalog", data, try StoreConfiguration(data: data))
        } catch {
            throw ToolFailure(status: .unusableData, reason: "the store made of the catalog: \(error.reason)")
        }
    }

    /// Creates or changes the simulated store.
    ///
    /// - Returns: Number of products that it sells.
    private func createStore(
        from data: Data, _ configuration: StoreConfiguration, of path: String, in folder: URL
    ) throws -> Int {
        do {
            try SimulatedStore.create(
                in: folder, configuration: data, bundleIdentifier: bundle ?? "com.example.app",
                seed: seed ?? UInt64.random(in: .min ... .max))
        } catch {
            throw ToolFailure(status: ToolFailure(error).status, reason: "\(folder.relativePath): \(error.reason)")
        }
        for omission in configuration.omissions { Console.say("warning: \(path): \(omission)") }
        return configuration.items.count + configuration.subscriptions.count
    }

    /// Rejects options that would change an existing store: its app, its seed, and, if it belongs to another storage
    /// directory, its products.
    private func checkStore(in home: Home, _ joined: JoinedStore?, isNew: Bool) throws {
        if let joined, store != nil {
            throw ToolFailure(
                status: .usage, reason: "the home uses the store in \(joined.folder), and --store cannot replace it")
        }
        guard bundle != nil || seed != nil else { return }
        do {
            let existing = try (joined?.open() ?? SimulatedStore(folder: home.store)).bundleIdentifier
            if let bundle, existing != bundle {
                throw ToolFailure(
                    status: .usage,
                    reason: "the simulated store of the home signs for the app \(existing), which cannot be changed")
            }
            if seed != nil { throw ToolFailure(status: .usage, reason: "--seed can be used only with a new store") }
        } catch let error as SimulatedStoreError where error.code == .notFound {
            guard !isNew else { return }
            throw ToolFailure(
                status: .usage, reason: "--\(bundle == nil ? "seed" : "bundle") needs a new store, set with --store")
        }
    }

    private func absolutePath(_ path: String) -> String {
        URL(filePath: path, directoryHint: .notDirectory).standardizedFileURL.path(percentEncoded: false)
    }
}

extension AccountPolicy {
    /// Text about the choice of the policy.
    fileprivate var change: String {
        switch self {
        case .keepAll: "what was bought stays owned with another App Store account"
        case .separate: "only what the present App Store account owns is shown"
        }
    }
}

extension Catalog {
    fileprivate var isEmptyBecauseOfErrors: Bool { products.isEmpty && hasErrors }
}
