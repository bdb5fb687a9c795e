import ArgumentParser
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

    @Option(help: ArgumentHelp("The app that a new store signs transactions for.", valueName: "id"))
    var bundle = "com.example.app"

    @OptionGroup var home: HomeOptions
    @OptionGroup var output: OutputOptions

    func report() throws -> Report {
        let home = home.folder
        let existing = try HomeSettings.read(from: home)
        guard let catalogPath = catalog.map(absolutePath) ?? existing?.catalog, existing != nil || store != nil else {
            throw ToolFailure(status: .usage, reason: "a new home needs --catalog and --store")
        }
        let products = try checkedProductCount(in: catalogPath)
        if let store { try createStore(from: store, in: home.store) }
        if catalogPath != existing?.catalog { try HomeSettings(catalog: catalogPath).write(to: home) }
        return Report(
            lines: ["\(home.url.relativePath): \(products) products in \(catalog ?? catalogPath)"],
            json: Document(home: home.url.path(percentEncoded: false), catalog: catalogPath, products: products),
            status: .yes
        )
    }

    /// Reads the catalog as loading will, and passes on what its rules find.
    private func checkedProductCount(in path: String) throws -> Int {
        do {
            let catalog = try CatalogFile(url: URL(filePath: path, directoryHint: .notDirectory)).catalog
            for line in catalog.diagnostics.flatMap({ $0.lines(path: self.catalog ?? path) }) { Console.pass(line) }
            return catalog.products.count
        } catch {
            throw ToolFailure(status: error.exitStatus, reason: error.description)
        }
    }

    private func createStore(from path: String, in folder: URL) throws {
        let data: Data
        do {
            data = try BoundedFile.read(
                URL(filePath: path, directoryHint: .notDirectory), limit: StoreConfiguration.sizeLimit)
        } catch let error as CocoaError where error.code == .fileReadNoSuchFile || error.code == .fileNoSuchFile {
            throw ToolFailure(status: .noInput, reason: "\(path): there is no such file")
        } catch {
            throw ToolFailure(status: .inputOutput, reason: "\(path): \(BoundedFile.reason(for: error))")
        }
        do {
            try SimulatedStore.create(in: folder, configuration: data, bundleIdentifier: bundle)
        } catch {
            let status: ExitStatus =
                switch error.code {
                case .invalidConfiguration, .damaged: .unusableData
                default: .inputOutput
                }
            throw ToolFailure(status: status, reason: "\(path): \(error.reason)")
        }
    }

    private func absolutePath(_ path: String) -> String {
        URL(filePath: path, directoryHint: .notDirectory).standardizedFileURL.path(percentEncoded: false)
    }

    private struct Document: Encodable {
        let home: String
        let catalog: String
        let products: Int
    }
}
