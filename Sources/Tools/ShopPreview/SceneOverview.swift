internal import Foundation

/// Content of a small picture of a shop in one state.
package struct SceneOverview: Sendable, Hashable {
    package struct Product: Sendable, Hashable {
        /// Index of the product in the catalog.
        package let position: Int
        package let title: String
        package let state: ShopCard.State
        /// Label of the button that buys the product, or else its status.
        package let label: String
        /// Icon; `nil` if there is none, or it is too large for a small picture.
        package let icon: ShopImage?
    }

    /// Maximum number of products.
    package static let mostProducts = 9
    /// Maximum size of an icon in bytes. A picture contains its icons.
    private static let iconLimit = 64 * 1_024

    package let view: PreviewView
    /// Language of the shop, as BCP 47 tag.
    package let language: String
    /// Name of the catalog file.
    package let name: String
    /// Balances of the wallets with their names, such as "50 coins".
    package let balances: [String]
    /// The first products of the shop: owned ones, then pending ones, then all others, each in catalog order.
    package let products: [Product]

    static func fits(_ icon: ShopImage) -> Bool { icon.data.count <= iconLimit }
}

extension PreviewShop {
    /// Returns the overview of a scene, without opening it: its actions are performed in a shop of their own. Overviews
    /// are made one after the other, and made again only after a change of the catalog, the store or the scene.
    ///
    /// - Returns: `nil` if there is no such scene, the shop is closed, or the temporary folder cannot be used.
    package func overview(ofScene name: String) async -> SceneOverview? {
        guard !isClosed, let scene = sceneFile.scene(name) else { return nil }
        if let known = overviews[scene] { return await known.value }
        let last = lastOverview
        let making = Task { () -> SceneOverview? in
            _ = await last?.value
            return await makeOverview(of: scene)
        }
        (overviews[scene], lastOverview) = (making, making)
        return await making.value
    }

    /// Forgets overviews after a change of the files from which they are made.
    ///
    /// - Parameter kept: Scenes whose overviews are still right.
    func forgetOverviews(except kept: [PreviewScene] = []) {
        overviewVersion += 1
        overviews = overviews.filter { kept.contains($0.key) }
    }

    private func makeOverview(of scene: PreviewScene) async -> SceneOverview? {
        guard !isClosed else { return nil }
        let folder = files.temporary.appending(path: "Overview\(overviewVersion)", directoryHint: .isDirectory)
        let stageFiles = Files(catalog: files.catalog, store: files.store, content: files.content, temporary: folder)
        do {
            let stage = try await PreviewShop(stageFiles, catalog, store, clockStart: clockStart, seed: seed)
            await stage.performAll(scene.actions)
            let overview = await stage.overview(scene.view)
            await stage.close()
            return overview
        } catch {
            // A list of scenes without a picture is enough: opening the scene tells the reason.
            return nil
        }
    }
}
