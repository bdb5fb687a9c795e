import Foundation
import Vitrine
import VitrineCatalog
import VitrineCatalogLoading
import VitrineEntitlements
import VitrineEntitlementsSQLite
import VitrinePurchasing
import VitrineReceipts
import VitrineStoreSimulator
import VitrineTestSupport

/// Manager that reads the app receipt, and the resulting ownership.
extension CatalogManagerTests {
    /// Creates a manager that reads the app receipt, from a store that lists no purchases unless it is
    /// the test's.
    func makeReader(
        store: (any Store)? = nil, verifier: (any ReceiptVerifier)? = nil, refresh: ReceiptOptions.Refresh = .never,
        ledger: (any Ledger)? = nil, catalog: CatalogSource = .file(Repository.sample("Voyager.plist")),
        choosing choices: (inout ManagerOptions) -> Void = { _ in }
    ) async throws -> CatalogManager {
        let verifier = try verifier ?? voyager.receiptVerifier()
        return try await makeManager(catalog: catalog, store: store ?? voyager.unlisted, ledger: ledger) { options in
            options.purchases.receipts = ReceiptOptions(verifier: verifier, refresh: refresh)
            choices(&options)
        }
    }

    var entries: [LedgerEntry] {
        get async throws { try await SQLiteLedger(url: Home(url: folder["home"]).ledger).entries(after: 0) }
    }
}

extension ReceiptFailure {
    var word: String {
        switch self {
        case .missing: "missing"
        case .rejected(let reasons): "rejected: " + reasons.map(\.code.description).joined(separator: ", ")
        case .undetermined: "undetermined"
        case .store(let error): "store: \(error.code)"
        }
    }
}

extension [CatalogEvent] {
    var receiptTexts: [String] {
        compactMap { event in
            switch event {
            case .receipt(.validated(let signed)): "good: \(signed.receipt.purchases.count)"
            case .receipt(.validationFailed(let failure)): failure.word
            case .receipt(.purchaseNotRecorded(let unrecorded)): "waits: \(unrecorded.reason)"
            default: nil
            }
        }
    }
}
