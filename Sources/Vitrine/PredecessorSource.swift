public import Foundation
internal import ProductCatalog

/// Which other libraries an app has used before, and where they have kept what customers own.
///
/// It is looked at once, when the first catalog without errors has been read, before preferences are written.
public struct PredecessorSource: Sendable {
    let predecessors: [Predecessor]
    let reader: @Sendable (Catalog) -> PredecessorReader

    /// - Parameters:
    ///   - predecessors: The libraries, in the order in which they are looked at.
    ///   - preferences: The app's own preferences.
    ///   - documents: The app's folder for documents.
    ///   - caches: The app's folder for what may vanish.
    public init(
        _ predecessors: [Predecessor], preferences: any PreferenceStore = UserDefaultsPreferences(), documents: URL,
        caches: URL
    ) {
        self.predecessors = predecessors
        reader = { catalog in
            PredecessorReader(preferences: preferences, documents: documents, caches: caches, catalog: catalog)
        }
    }
}
