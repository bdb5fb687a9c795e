public import Foundation
public import VitrinePurchasing
public import VitrineSupport

/// Content of products that the store hosts for the app.
extension SimulatedStore {
    /// Content that the store hosts; `nil` for a store in memory.
    public var content: (any StoreHostedContent)? { core.content }

    /// Hosts the content of a product. It replaces earlier content of that product.
    ///
    /// - Parameters:
    ///   - package: Folder that contains the file `ContentInfo.plist` and a folder `Contents`. The store copies it.
    ///   - product: Product that the store sells.
    /// - Throws: ``SimulatedStoreError``: `noSuchProduct`; `invalidContent` for a folder that is not a package;
    ///   `storage` if the package cannot be stored, as always in a store in memory.
    public func host(_ package: URL, for product: String) throws(SimulatedStoreError) {
        guard core.item(product) != nil else { throw unknown(product) }
        guard let content = core.content else {
            throw SimulatedStoreError(code: .storage, reason: "a store in memory hosts no content")
        }
        try content.add(package, for: product)
    }
}
