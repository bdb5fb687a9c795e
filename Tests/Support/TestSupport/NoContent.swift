package import VitrinePurchasing
package import VitrineReceipts

/// Content provider of an app without hosted content.
package struct NoContent: ContentProvider {
    package init() {}

    package func lacksContent(unlockedBy transaction: SignedTransaction) async -> Bool { false }

    package func installContent(
        unlockedBy transaction: SignedTransaction
    ) async throws(ContentProviderError) -> [String] { [] }
}
