internal import CatalogLoading
internal import Entitlements
internal import ProductCatalog

/// The numbers that a ledger keeps, for those who do not know of ledgers.
struct LedgerNumbers: HighestNumbers {
    let ledger: any Ledger

    func raise(_ name: String, to value: Int64) async throws -> Int64 { try await ledger.raise(name, to: value) }

    func highest(_ name: String) async throws -> Int64? { try await ledger.highest(name) }
}
