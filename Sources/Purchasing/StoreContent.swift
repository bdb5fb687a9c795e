public import Foundation

/// What a store that keeps the content of its products is asked for it.
public protocol StoreContent: Sendable {
    /// Whether the store has content for a product, as far as that is known without asking anybody.
    func hasContent(for productIdentifier: String) -> Bool

    /// Gets the package with a product's content.
    ///
    /// Where the call is cancelled, or fails, what has come may stay in the folder, and the next call goes on from there.
    ///
    /// - Parameters:
    ///   - productIdentifier: The product's identifier.
    ///   - folder: Of this product's alone. What is answered lies in it, and the caller removes it.
    ///   - progress: Is told how many bytes are here, and how many there are as soon as that is known; from any thread.
    /// - Returns: A folder with a `ContentInfo.plist` beside a folder `Contents`; `nil` where the store has none.
    /// - Throws: ``StoreError`` where the store cannot be asked, or breaks off.
    func contentPackage(
        for productIdentifier: String, in folder: URL,
        progress: @escaping @Sendable (_ received: Int, _ total: Int?) -> Void
    ) async throws(StoreError) -> URL?
}

extension Store {
    /// A store keeps no content unless it says so.
    public var content: (any StoreContent)? { nil }
}
