import Entitlements
import Foundation
import ProductCatalog
import Purchasing
import Receipts
import TestSupport
import Testing
import Vitrine

extension CatalogManagerTests {
    /// A manager with choices of a test's own. Its clock is the store's.
    func makeManager(
        catalog: CatalogSource = .file(Repository.sample("Voyager.plist")), store: (any Store)? = nil,
        verifier: (any TransactionVerifier)? = nil, ledger: (any Ledger)? = nil,
        choosing choices: (inout ManagerOptions) -> Void
    ) async throws -> CatalogManager {
        let clock = voyager.clock
        var options = ManagerOptions(languages: ["en"], schedule: .never, now: { clock.now })
        choices(&options)
        return try await CatalogManager(
            catalog: catalog, store: store ?? voyager.store, verifier: verifier ?? voyager.verifier(),
            home: Home(url: folder["home"]), content: PackageFolder(url: Repository.samplePackages), ledger: ledger,
            options: options)
    }
}

extension AsyncStream<CatalogEvent> {
    /// What the next purchase that is answered came to.
    func nextAnswer() async -> PurchaseAnswer? {
        for await event in self { if case .purchaseAnswered(_, let answer) = event { return answer } }
        return nil
    }

    /// Waits for an event.
    func next(_ isMeant: (CatalogEvent) -> Bool) async {
        for await event in self where isMeant(event) { return }
    }
}
