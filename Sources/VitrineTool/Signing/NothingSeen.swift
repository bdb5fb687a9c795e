internal import CatalogLoading
import ProductCatalog

/// Version record of an app that has not seen a catalog yet.
struct NothingSeen: HighestNumbers {
    func raise(_ name: String, to value: Int64) -> Int64 { value }

    func highest(_ name: String) -> Int64? { nil }
}
