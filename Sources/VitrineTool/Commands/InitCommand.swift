import ArgumentParser
import Entitlements
import EntitlementsSQLite
import Foundation
import ProductCatalog
import StoreSimulator
import Vitrine

struct InitCommand: ReportingCommand {
    static let configuration = CommandConfiguration(
        commandName: "init",
        abstract: "Set up a home, or change what an existing one uses.",
        discussion: """
            The home remembers where the catalog lies. The store's file is copied into it, and a signing identity is \
            made for the store, once. On a home that exists only what is named changes; what is owned never does.

            EXAMPLE:
              vitrine init --catalog Catalogs/Voyager.plist --store Catalogs/Voyager.storekit
            """
    )

    @Option(help: ArgumentHelp("The property list with the app's products.", valueName: "plist"))
    var catalog: String?

    @Option(help: ArgumentHelp("What the simulated store sells.", valueName: "file.storekit"))
    var store: String?

    @Option(
        help: ArgumentHelp(
            "The app that a new store signs transactions for. (default: com.example.app)", valueName: "id"))
    var bundle: String?

    @OptionGroup var home: HomeOptions
    @OptionGroup var output: OutputOptions

    func report() throws -> Report {
        let home = home.folder
        let isNew = try HomeSettings.read(from: home) == nil
        guard !isNew || catalog != nil && store != nil else {
            throw ToolFailure(status: .usage, reason: "a new home needs --catalog and --store")
        }
        try checkBundle(in: home)
        var document = Document(home: home.url.path(percentEncoded: false))
        var changes: [String] = []
        if let catalog {
            let products = try checkedProductCount(in: catalog)
            changes.append("\(products) products in \(catalog)")
            document.catalog = absolutePath(catalog)
            document.products = products
        }
        if let store {
            let configuration = try createStore(from: store, in: home.store)
            changes.append("\(configuration.items.count) sold by \(store)")
            document.sold = configuration.items.count
        }
        if isNew { try createLedger(in: home) }
        // The settings are what makes a folder a home: they come last.
        if let path = document.catalog { try HomeSettings(catalog: path).write(to: home) }
        return Report(
            lines: [
                "\(home.url.relativePath): \(changes.isEmpty ? "nothing changed" : changes.joined(separator: ", "))"
            ],
            json: document, status: .yes)
    }

    /// Reads the catalog as loading will, and passes on what its rules find.
    private func checkedProductCount(in path: String) throws -> Int {
        do {
            let catalog = try CatalogFile(url: URL(filePath: path, directoryHint: .notDirectory)).catalog
            for line in catalog.diagnostics.flatMap({ $0.lines(path: path) }) { Console.pass(line) }
            return catalog.products.count
        } catch {
            throw ToolFailure(status: error.exitStatus, reason: error.description)
        }
    }

    private func createStore(from path: String, in folder: URL) throws -> StoreConfiguration {
        let data: Data
        do {
            data = try BoundedFile.read(
                URL(filePath: path, directoryHint: .notDirectory), limit: StoreConfiguration.sizeLimit)
        } catch {
            throw ToolFailure(status: error.isMissing ? .noInput : .inputOutput, reason: "\(path): \(error.reason)")
        }
        let configuration: StoreConfiguration
        do {
            configuration = try StoreConfiguration(data: data)
        } catch {
            let place = error.position.map { "\(path):\($0)" } ?? path
            throw ToolFailure(status: .unusableData, reason: "\(place): \(error.reason)")
        }
        do {
            try SimulatedStore.create(in: folder, configuration: data, bundleIdentifier: bundle ?? "com.example.app")
        } catch {
            let status: ExitStatus =
                switch error.code {
                case .invalidConfiguration, .damaged: .unusableData
                default: .inputOutput
                }
            throw ToolFailure(status: status, reason: "\(folder.relativePath): \(error.reason)")
        }
        if configuration.subscriptionCount > 0 {
            Console.say(
                "warning: \(path): auto-renewable subscriptions (\(configuration.subscriptionCount)) are not sold yet")
        }
        return configuration
    }

    /// A store signs for the app that it was made for.
    private func checkBundle(in home: Home) throws {
        guard let bundle else { return }
        do {
            let existing = try SimulatedStore(folder: home.store).bundleIdentifier
            guard existing != bundle else { return }
            throw ToolFailure(status: .usage, reason: "the home's store signs for \(existing), which cannot be changed")
        } catch let error as SimulatedStoreError where error.code == .notFound {
            guard store == nil else { return }
            throw ToolFailure(status: .usage, reason: "--bundle is for a new store, and needs --store")
        }
    }

    /// A new home begins with an empty ledger, so that one that is gone later is missed.
    private func createLedger(in home: Home) throws {
        do {
            _ = try SQLiteLedger(url: home.ledger)
        } catch {
            throw ToolFailure(error)
        }
    }

    private func absolutePath(_ path: String) -> String {
        URL(filePath: path, directoryHint: .notDirectory).standardizedFileURL.path(percentEncoded: false)
    }

    private struct Document: Encodable {
        let home: String
        var catalog: String?
        var products: Int?
        var sold: Int?
    }
}
