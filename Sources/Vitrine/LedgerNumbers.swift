internal import CatalogLoading
internal import Entitlements
internal import ProductCatalog

/// Numbers stored by a ledger, for code that does not depend on ledgers.
struct LedgerNumbers: HighestNumbers {
    let ledger: any Ledger

    func raise(_ name: String, to value: Int64) async throws -> Int64 { try await ledger.raise(name, to: value) }

    func highest(_ name: String) async throws -> Int64? { try await ledger.highest(name) }
}
