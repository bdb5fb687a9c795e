package import Foundation
internal import Vitrine
internal import VitrineCatalog
internal import VitrineFileSystem
internal import VitrineSupport

/// Preview of a catalog's shop for one customer, in a temporary storage directory.
///
/// The state of the shop depends only on the catalog, the `.storekit` file and the list of actions. To go back to an
/// earlier step, the actions up to that step are performed again, which results in the same transaction numbers.
package actor PreviewShop {
    /// Locations of a preview's files.
    struct Files: Sendable {
        let catalog: URL
        let store: URL?
        let content: URL?
        /// Temporary folder of this preview only.
        let temporary: URL

        /// File of scenes, beside the catalog.
        var scenes: URL {
            catalog.deletingPathExtension().appendingPathExtension("scenes").appendingPathExtension("plist")
        }
    }

    /// Revision number, which increases with each change.
    package internal(set) var revision = 0

    let files: Files
    let clockStart: Date
    let seed: UInt64
    /// Last valid catalog.
    var catalog: PreviewCatalog
    /// Last valid `.storekit` file, or the store created from the catalog.
    var store: StoreSource
    var session: PreviewSession
    var state: ShopState
    var switches = PreviewSwitches()
    var steps: [PreviewStep] = []
    var sceneFile = SceneFile()
    /// Unusable new version of the catalog; `nil` if the current file is valid.
    var catalogError: PreviewCatalogError?
    var storeError: PreviewFileError?
    var scenesError: PreviewFileError?
    var watch: FileWatch
    var images = ImageShelf()
    var translations = Translations()
    var isClosed = false
    /// Number that increases with each change of the catalog, the store or the scenes, and so with each change of an
    /// overview.
    var overviewVersion = 0
    /// Overviews of scenes with the current catalog and store, made or in the making.
    var overviews: [PreviewScene: Task<SceneOverview?, Never>] = [:]
    var lastOverview: Task<SceneOverview?, Never>?
    private var sessionCount = 1
    private var turns = TurnQueue()
    private let revisions = Broadcast<Int>(keepingNewest: 1)

    /// Opens the shop.
    ///
    /// - Parameters:
    ///   - catalog: Property list with the products.
    ///   - storeFile: `.storekit` file; `nil` to create one from the catalog.
    ///   - content: Folder with packages of hosted content; `nil` if there are none.
    ///   - folder: Temporary folder of this preview only. It is created, and removed by ``close()``.
    ///   - clockStart: Initial date of the store's clock.
    ///   - seed: Seed of the store's transaction numbers.
    /// - Throws: ``PreviewError``: `notFound`, `storage` or `unusableData` with the name of the file and the line.
    package init(
        catalog: URL, storeFile: URL? = nil, content: URL? = nil, folder: URL, clockStart: Date = Date(),
        seed: UInt64 = 1
    ) async throws(PreviewError) {
        let files = Files(
            catalog: catalog.absoluteURL, store: storeFile?.absoluteURL, content: content?.absoluteURL,
            temporary: folder)
        var watch = FileWatch()
        for url in [files.catalog, files.store, files.scenes].compactMap(\.self) { watch.note(url) }
        let source: PreviewCatalog
        do {
            source = try PreviewCatalog(url: files.catalog)
        } catch {
            throw error.error
        }
        let store: StoreSource
        do throws(StoreSourceError) {
            store =
                if let url = files.store {
                    try StoreSource(url: url)
                } else {
                    try StoreSource(of: source.catalog)
                }
        } catch {
            throw error.error
        }
        try await self.init(
            files, source, store, watch,
            clockStart: Date(timeIntervalSince1970: clockStart.timeIntervalSince1970.rounded(.down)), seed: seed)
        readScenes()
    }

    /// Opens the shop of a catalog and a store that have been read, without scenes.
    init(
        _ files: Files, _ catalog: PreviewCatalog, _ store: StoreSource, _ watch: FileWatch = FileWatch(),
        clockStart: Date, seed: UInt64
    ) async throws(PreviewError) {
        (self.files, self.catalog, self.store, self.watch) = (files, catalog, store, watch)
        (self.clockStart, self.seed) = (clockStart, seed)
        session = try await PreviewSession.open(
            Self.setup(catalog, store, files, clockStart, seed), in: Self.sessionFolder(files, 1))
        state = await ShopState(of: session, catalog)
        steps = [openingStep(session, state)]
    }

    // MARK: Sessions

    /// Returns the setup of a session with the last valid files.
    static func setup(
        _ catalog: PreviewCatalog, _ store: StoreSource, _ files: Files, _ clockStart: Date, _ seed: UInt64
    ) -> PreviewSession.Setup {
        PreviewSession.Setup(
            catalog: catalog, store: store, content: files.content,
            bundledFiles: files.catalog.deletingLastPathComponent(), clockStart: clockStart, seed: seed,
            catalogName: files.catalog.lastPathComponent)
    }

    private static func sessionFolder(_ files: Files, _ number: Int) -> URL {
        files.temporary.appending(path: "Session\(number)", directoryHint: .isDirectory)
    }

    func newSession(_ catalog: PreviewCatalog, _ store: StoreSource) async throws(PreviewError) -> PreviewSession {
        sessionCount += 1
        return try await PreviewSession.open(
            Self.setup(catalog, store, files, clockStart, seed), in: Self.sessionFolder(files, sessionCount))
    }

    // MARK: Changes

    /// Returns a stream with the revision after each change. A slow reader gets the latest revision only.
    package func changes() -> AsyncStream<Int> { revisions.stream() }

    /// Increases the revision number and publishes it.
    func changed() {
        revision += 1
        revisions.send(revision)
    }

    // MARK: Turns

    /// Waits until no other change is in progress, and then reserves the shop for the caller.
    func waitForTurn() async {
        guard turns.isTaken else {
            turns.isTaken = true
            return
        }
        await withCheckedContinuation { turns.waiting.append($0) }
    }

    /// Waits for the caller's turn, which ``endTurn()`` ends.
    ///
    /// - Throws: ``PreviewError`` `closed`, without a turn.
    func beginTurn() async throws(PreviewError) {
        await waitForTurn()
        guard isClosed else { return }
        endTurn()
        throw PreviewError(code: .closed, reason: "the preview has ended")
    }

    func endTurn() {
        if turns.waiting.isEmpty { turns.isTaken = false } else { turns.waiting.removeFirst().resume() }
    }

    /// Closes the preview and removes its temporary folder.
    package func close() async {
        await waitForTurn()
        defer { endTurn() }
        guard !isClosed else { return }
        isClosed = true
        revisions.finish()
        _ = await lastOverview?.value
        await session.close()
        // If this fails, the system removes the temporary folder later.
        try? FileManager.default.removeItem(at: files.temporary)
    }
}

/// Queue that serializes the changes of a shop.
private struct TurnQueue {
    var isTaken = false
    var waiting: [CheckedContinuation<Void, Never>] = []
}
