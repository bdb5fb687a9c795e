public import Foundation
internal import ProductCatalog

/// Legacy libraries that an app has used before, and the locations where they stored owned products.
///
/// They are read once, when the first catalog without errors has been read, before preferences are written.
public struct PredecessorSource: Sendable {
    let predecessors: [Predecessor]
    let reader: @Sendable (Catalog) -> PredecessorReader

    /// - Parameters:
    ///   - predecessors: Legacy libraries, in the order in which they are read.
    ///   - preferences: The app's own preferences.
    ///   - documents: Documents folder of the app.
    ///   - caches: Caches folder of the app.
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
