import Foundation
import Testing
import VitrineCatalog
import VitrinePropertyList
import VitrineSupport
import VitrineTestSupport

/// Configuration files of real apps, where a developer has the corpus.
@Suite(.hangLimit) struct CorpusTests {
    @Test(.enabled(if: Repository.corpus("plists") != nil, "the corpus of real files is not here"))
    func `every catalog of the test corpus is read, or refused with a reason`() throws {
        var loaded: Set<String> = []
        for file in try Repository.corpusFiles("plists") {
            do {
                let catalog = try CatalogFile(url: file).catalog
                if !catalog.products.isEmpty { loaded.insert(file.lastPathComponent) }
                #expect(catalog.diagnostics.allSatisfy { $0.position != nil })
            } catch {
                #expect(!error.reason.isEmpty)
            }
        }
        #expect(loaded.contains("SimonFairbairn__VTAInAppPurchases__productListExample.plist"))
        #expect(loaded.contains("AtomLee4279__IAP_Demo_Offical__ProductIds.plist"))
    }

    @Test(.enabled(if: Repository.corpus("plists") != nil, "the corpus of real files is not here"))
    func `each dictionary of the test corpus is read as a catalog, or refused with a hint about the accepted forms`()
        throws
    {
        var refused: Set<String> = []
        var identifiers: Set<String> = []
        for file in try Repository.corpusFiles("plists") {
            let document = try PropertyListDocument(bytes: Array(Data(contentsOf: file)))
            guard document.root.kind == .dictionary else { continue }
            let catalog = Catalog(document: document)
            if CatalogDialect.isIdentifierList(document) {
                identifiers.insert(file.lastPathComponent)
                #expect(!catalog.products.isEmpty && catalog.diagnostics.isEmpty, "\(file.lastPathComponent)")
            } else if !CatalogDialect.isMKStoreKit(document), !CatalogDialect.isStoreHelper(document) {
                refused.insert(file.lastPathComponent)
                #expect(catalog.diagnostics.map(\.rule) == ["root"], "\(file.lastPathComponent)")
                let message = catalog.diagnostics.first?.message ?? ""
                #expect(message.contains("com.example.premium") || message.hasSuffix("did you mean \"products\"?"))
            }
        }
        #expect(identifiers.count == 4, "\(identifiers)")
        #expect(refused.count == 12, "\(refused)")
    }

    /// Expected numbers of products in a `.storekit` file, from the list of the corpus.
    private struct Numbers {
        let products: Int
        let groups: Int
        let subscriptions: Int

        /// Reads a line of the list; `nil` for a file that is not a configuration.
        init?(_ line: Substring) {
            func number(_ name: String) -> Int? {
                line.split { " \t".contains($0) }.first { $0.hasPrefix("\(name)=") }.flatMap {
                    Int($0.dropFirst(name.count + 1))
                }
            }
            guard line.contains("expect=load"), let products = number("products"), let others = number("nonrenew"),
                let groups = number("groups"), let subscriptions = number("subs")
            else { return nil }
            (self.products, self.groups, self.subscriptions) = (products + others, groups, subscriptions)
        }
    }

    @Test(.enabled(if: Repository.corpus("storekit") != nil, "the corpus of real files is not here"))
    func `every .storekit file of the corpus is read with all of its products, or refused as invalid`() throws {
        let list = try String(contentsOf: #require(Repository.corpus("MANIFEST.tsv")), encoding: .utf8)
        let lines = Dictionary(
            list.split(separator: "\n").map { ($0.prefix { $0 != "\t" }, $0) }, uniquingKeysWith: { first, _ in first })
        var (read, refused, omissions) = (0, 0, [String]())
        for file in try Repository.corpusFiles("storekit") {
            let name = file.lastPathComponent
            let numbers = Numbers(try #require(lines["storekit/\(name)"]))
            do {
                let configuration = try StoreConfiguration(data: Data(contentsOf: file))
                read += 1
                #expect(configuration.items.count == numbers?.products, "\(name)")
                #expect(configuration.groups.count == numbers?.groups, "\(name)")
                #expect(configuration.subscriptions.count == numbers?.subscriptions, "\(name)")
                omissions += configuration.omissions.map { "\(name): \($0)" }
            } catch let error as StoreConfigurationError {
                #expect(numbers == nil, "\(name): \(error)")
                refused += 1
            }
        }
        // An empty file, and one of another schema.
        #expect(refused == 2)
        #expect(read > 100)
        #expect(omissions.filter { !$0.contains(".current is ignored") } == [])
    }
    @Test(.enabled(if: Repository.corpus("storekit") != nil, "the corpus of real files is not here"))
    func `a catalog generated from a .storekit file has the same subscription groups, levels and durations`() throws {
        var subscriptions = 0
        for file in try Repository.corpusFiles("storekit") {
            guard let configuration = try? StoreConfiguration(data: Data(contentsOf: file)) else { continue }
            let document = try PropertyListDocument(bytes: Array(StarterCatalog(configuration).xml.utf8))
            let catalog = Catalog(document: document)
            let found = catalog.diagnostics + StoreDrift.diagnostics(of: catalog, against: configuration)
            #expect(
                found.filter { $0.rule == "subscription-level" || $0.message.contains(" in the catalog and ") } == [])
            for sold in configuration.subscriptions {
                let product = try #require(catalog[sold.item.identifier])
                #expect([sold.group, sold.groupID].contains(product.subscriptionGroup))
                #expect(product.level == sold.level)
                #expect(product.subscriptionDuration == SubscriptionDuration(sold.period))
                subscriptions += 1
            }
        }
        #expect(subscriptions > 100)
    }
}
