import Foundation
import ProductCatalog
import TestSupport
import Testing

/// Real files from the wild, where a developer has them.
@Suite(.timeLimit(.minutes(45))) struct CorpusTests {
    @Test(.enabled(if: Repository.corpus("plists") != nil, "the corpus of real files is not here"))
    func `every real catalog is read, or refused with a reason`() throws {
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

    @Test(.enabled(if: Repository.corpus("storekit") != nil, "the corpus of real files is not here"))
    func `every real store file is read, or refused with a reason`() throws {
        let files = try Repository.corpusFiles("storekit")
        var refused: [String: String] = [:]
        for file in files {
            do {
                _ = try StoreConfiguration(data: Data(contentsOf: file))
            } catch let error as StoreConfigurationError {
                refused[file.lastPathComponent] = error.reason
            }
        }
        // Three of the real files are no configurations: an empty one, an alias, and one of another schema.
        #expect(refused.count <= 3, "\(refused)")
    }
}
