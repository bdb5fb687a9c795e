import Foundation
import Vitrine
import VitrineCatalog
internal import VitrineCatalogLoading
import VitrineCommandSupport
import VitrineFileSystem
import VitrineHostedContent
import VitrineNetworking
import VitrineStoreSimulator
import VitrineSupport

/// Examination of a storage directory, catalogs, keys and a server, with a list of results.
struct Examination {
    enum State: String {
        case good, wrong
        /// The subject could not be examined.
        case unknown
    }

    struct Result {
        /// Examined subject, such as "the ledger".
        let subject: String
        let state: State
        /// Finding about the subject, as predicate of a sentence.
        let finding: String
        /// Command that corrects the problem or shows details; `nil` if there is no such command.
        var advice: String?

        var lines: [String] {
            let mark =
                switch state {
                case .good: "ok     "
                case .wrong: "WRONG  "
                case .unknown: "?      "
                }
            return ["\(mark)\(subject): \(finding)"] + (advice.map { ["       try: \($0)"] } ?? [])
        }
    }

    private(set) var results: [Result] = []
    /// Addresses of the images in the catalogs that could be read, each once.
    private(set) var imageAddresses: [URL] = []

    mutating func add(_ subject: String, _ state: State, _ finding: String, try advice: String? = nil) {
        add(Result(subject: subject, state: state, finding: finding, advice: advice))
    }

    mutating func add(_ result: Result) { results.append(result) }

    private mutating func noteImages(of catalog: Catalog) {
        var known = Set(imageAddresses)
        for address in catalog.products.flatMap(\.imageAddresses) where known.insert(address).inserted {
            imageAddresses.append(address)
        }
    }

    // MARK: Files

    /// Examines a catalog.
    ///
    /// - Parameter hasPackages: `true` if hosted content has another source than the addresses in the catalog; `nil` if that
    ///   is unknown.
    /// - Returns: The catalog; `nil` if it cannot be read.
    @discardableResult
    mutating func lookAtCatalog(_ path: String, hasPackages: Bool? = nil) -> Catalog? {
        let subject = "the catalog \(path)"
        do {
            let catalog = try CatalogFile(url: URL(filePath: path, directoryHint: .notDirectory)).catalog
            noteImages(of: catalog)
            look(at: catalog, path, subject, hasPackages: hasPackages)
            return catalog
        } catch {
            add(
                subject, .wrong, error.reason,
                try: error.code == .notFound
                    ? "vitrine init --catalog FILE, with the file's present place" : "vitrine lint \(path.inShell)")
            return nil
        }
    }

    private mutating func look(at catalog: Catalog, _ path: String, _ subject: String, hasPackages: Bool?) {
        let errors = catalog.diagnostics.count { $0.severity == .error }
        let warnings = catalog.diagnostics.count { $0.severity == .warning }
        guard errors == 0 else {
            // A catalog without any product often has a misspelled key, which the error names.
            let first = catalog.diagnostics.first { $0.severity == .error }?.message ?? ""
            let effect =
                catalog.products.isEmpty ? ", and no product is sold: \(first)" : "; products with errors are not sold"
            return add(
                subject, .wrong, errors.with("error") + effect,
                try: "vitrine lint \(path.inShell)")
        }
        let unreachable = catalog.products.filter(\.isContentUnreachable)
        guard unreachable.isEmpty else {
            return add(
                subject, .wrong,
                "the content of \(unreachable.map(\.identifier).joined(separator: ", ")) is at an address that apps "
                    + "do not request; products without their content are not sold",
                try: "vitrine lint \(path.inShell)")
        }
        let missing = catalog.products.filter(\.isContentMissing)
        if hasPackages == false, !missing.isEmpty {
            return add(
                subject, .wrong,
                "no contentURL for the content of \(missing.map(\.identifier).joined(separator: ", ")); products without "
                    + "their content are not sold",
                try: "vitrine content pack FOLDER -o out --base-url URL --update-catalog \(path.inShell)")
        }
        let endless = catalog.products.filter(\.isWithoutDuration).map(\.identifier)
        guard endless.isEmpty else {
            return add(
                subject, .wrong, "no subscriptionDuration of \(Self.list(endless)), which is therefore not sold",
                try: "vitrine lint \(path.inShell)")
        }
        let remarks = [
            warnings == 0 ? nil : warnings.with("warning"),
            missing.isEmpty || hasPackages == true ? nil : "\(missing.count) hosted without a contentURL",
        ].compactMap(\.self)
        add(
            subject, .good, ([catalog.products.count.with("product")] + remarks).joined(separator: ", "),
            try: remarks.isEmpty ? nil : "vitrine lint \(path.inShell)")
    }

    /// Examines a file with a private or public key that signs catalogs.
    mutating func lookAtKey(_ path: String) {
        let subject = "the key \(path)"
        do throws(ToolFailure) {
            let text = String(decoding: try InputFile.read(path, limit: 4096), as: UTF8.self)
            guard text.contains("PRIVATE KEY") else {
                _ = try PublicKeyFile.read(path)
                return add(subject, .good, "a public key")
            }
            _ = try PrivateKeyFile.read(path)
            let others = FileStatus(URL(filePath: path, directoryHint: .notDirectory)).map { $0.permissions & 0o077 }
            guard others == 0 else {
                return add(
                    subject, .wrong, "a private key that other users of this machine may read",
                    try: "chmod 600 \(path.inShell)"
                )
            }
            add(subject, .good, "a private key that only its owner may read")
        } catch {
            add(
                subject, .wrong, error.reason,
                try: error.status == .noInput ? "vitrine catalog keygen -o NAME" : nil)
        }
    }

    // MARK: Home

    mutating func lookAtHome(_ session: SessionOptions, isOffline: Bool) async {
        let home = session.home.folder
        let subject = "the home \(home.url.relativePath)"
        let settings: HomeSettings
        do {
            guard let read = try HomeSettings.read(from: home) else {
                return add(
                    subject, .wrong, "there is none",
                    try: "vitrine init --catalog FILE.plist, or --home with its folder")
            }
            settings = read
        } catch {
            return add(
                subject, .wrong, (error as? ToolFailure)?.reason ?? "\(error)",
                try: "vitrine init --catalog FILE.plist, which writes the settings again")
        }
        if access(home.url.systemPath, W_OK) == 0 {
            add(subject, .good, "set up")
        } else {
            add(subject, .wrong, "cannot be written to: purchases cannot be recorded")
        }
        let catalog = settings.catalog.flatMap { lookAtCatalog($0, hasPackages: settings.content != nil) }
        if let path = settings.content { lookAtContent(path, of: catalog) }
        if let store = await lookAtStore(of: home), let catalog, let path = settings.catalog {
            await lookAtProducts(catalog, in: store, path: path)
        }
        await lookAtLedger(session)
        if let remote = settings.remote {
            if isOffline {
                add("the catalog's server", .unknown, "not asked, because of --offline")
            } else {
                await lookAtServer(remote)
            }
        }
    }

    private mutating func lookAtContent(_ path: String, of catalog: Catalog?) {
        do {
            let packages = try PackageFolder(url: URL(filePath: path, directoryHint: .isDirectory)).packages()
            if packages.isEmpty {
                add(
                    "the content in \(path)", .wrong, "no package, a folder with a ContentInfo.plist",
                    try: "vitrine init --content FOLDER")
            } else if let missing = Self.missing(in: packages, of: catalog) {
                add(
                    "the content in \(path)", .wrong,
                    "no package for \(missing); products without their content are not sold",
                    try: "vitrine init --content FOLDER")
            } else {
                add("the content in \(path)", .good, packages.count.with("package"))
            }
        } catch {
            add("the content in \(path)", .wrong, error.reason, try: "vitrine init --content FOLDER")
        }
    }

    /// Returns the products whose content has neither a package nor an address; `nil` if there are none.
    private static func missing(in packages: [ContentPackage], of catalog: Catalog?) -> String? {
        let packed = Set(packages.map(\.info.productIdentifier))
        let missing = (catalog?.products ?? []).filter { $0.isContentMissing && !packed.contains($0.identifier) }
        return missing.isEmpty ? nil : list(missing.map(\.identifier))
    }

    /// - Returns: The store; `nil` if it cannot be opened.
    private mutating func lookAtStore(of home: Home) async -> SimulatedStore? {
        do {
            let store = try home.openStore()
            await lookAtPurchases(in: store)
            return store
        } catch {
            add(
                "the simulated store", .wrong, (error as? any CommandFailure)?.failure?.reason ?? "\(error)",
                try: "vitrine init --store FILE.storekit")
            return nil
        }
    }

    private mutating func lookAtPurchases(in store: SimulatedStore) async {
        do throws(StoreError) {
            let waiting = try await store.unfinishedTransactions().count
            add("the simulated store", .good, "serves the app \(store.bundleIdentifier)")
            guard waiting > 0 else { return }
            add(
                "the purchases", .wrong, "\(waiting.with("transaction")) not delivered yet",
                try: "vitrine load, and then vitrine pending")
        } catch {
            add("the purchases", .unknown, error.reason)
        }
    }

    private mutating func lookAtLedger(_ session: SessionOptions) async {
        let subject = "the ledger"
        do {
            let open = try await OpenHome.open(session)
            let found: LedgerCheck
            do {
                found = try await open.manager.ledger.check()
            } catch {
                await open.close()
                throw error
            }
            await open.close()
            if let loss = found.loss {
                add(
                    subject, .wrong, "an earlier one was lost, and balances are unknown: \(loss.reason)",
                    try: "vitrine settle, once the balances are confirmed")
            } else if !found.isGood {
                add(subject, .wrong, "the entries or what follows from them are damaged", try: "vitrine check --repair")
            } else {
                add(subject, .good, found.entries == 1 ? "1 entry" : "\(found.entries) entries")
            }
        } catch {
            add(
                subject, .wrong, (error as? any CommandFailure)?.failure?.reason ?? "\(error)",
                try: "vitrine check --repair")
        }
    }

    // MARK: Server

    /// Requests the catalog from its server, independent of earlier downloads.
    private mutating func lookAtServer(_ remote: RemoteSettings) async {
        let subject = "the catalog at \(remote.url)"
        let folder = FileManager.default.temporaryDirectory.appending(path: "vitrine-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        do {
            let loader = CatalogLoader(
                source: .remote(try remote.catalog(), local: nil), cacheFolder: folder, transport: DefaultTransport(),
                numbers: NoStoredCounters(), appBuild: nil, now: { Date() })
            let loaded = try await loader.load()
            guard loaded.signature.reason == nil, loaded.sellingObstacle == nil else {
                return add(
                    subject, .wrong, loaded.signature.reason ?? loaded.sellingObstacle ?? "",
                    try: "vitrine catalog verify FILE --root KEY on the server's files")
            }
            noteImages(of: loaded.catalog)
            add(subject, .good, "\(loaded.catalog.products.count.with("product")), signature \(loaded.signature.word)")
        } catch let error as CatalogError {
            // Without a network connection, the state of the server is unknown.
            let isUnknown = [.unreachable, .timeout, .cancelled].contains(error.code)
            add(
                subject, isUnknown ? .unknown : .wrong, error.reason,
                try: error.diagnostics.isEmpty
                    ? "vitrine catalog status, for what the home uses instead" : "vitrine lint on the server's file")
        } catch {
            add(subject, .wrong, (error as? any CommandFailure)?.failure?.reason ?? "\(error)")
        }
    }
}

extension CatalogProduct {
    /// `true` if the catalog has no address of the product's hosted content.
    fileprivate var isContentMissing: Bool { hostedContentPath != nil && content?.urls.isEmpty != false }

    /// `true` if the product's content has an address, and no address is one that apps request.
    fileprivate var isContentUnreachable: Bool {
        guard hostedContentPath != nil, let content else { return false }
        return content.urls.allSatisfy { PlainHTTP.loopback.objection(to: $0) != nil }
    }
}
