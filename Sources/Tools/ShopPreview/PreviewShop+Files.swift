internal import Foundation
internal import Vitrine
internal import VitrineStoreSimulator
internal import VitrineSupport

/// Reload of changed files. A changed catalog is loaded as an app loads an update; for a changed `.storekit` file, all
/// actions are performed again with a new store.
extension PreviewShop {
    /// Interval at which files are checked while one of them is being written.
    private static let interval = Duration.milliseconds(25)

    /// Watches the catalog, the `.storekit` file and the scenes for changes, until the task is canceled or the shop is
    /// closed. Between changes, nothing runs except a check at long intervals.
    ///
    /// - Parameter checkInterval: Interval for file systems that report no changes; `nil` for that of the platform.
    package func watch(checkInterval: Duration? = nil) async {
        let (wakes, wake) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
        let changes = FolderChanges.stream(of: watchedFolders)
        let revisions = self.changes()
        let checkInterval = checkInterval ?? FolderChanges.checkInterval
        // A file may have changed before its folder was watched.
        wake.yield()
        await withTaskGroup(of: Void.self) { group in
            group.addTask { for await _ in changes { wake.yield() } }
            group.addTask { while await Self.pause(checkInterval) { wake.yield() } }
            group.addTask {
                // The stream ends as soon as the shop is closed.
                for await _ in revisions {}
                wake.finish()
            }
            for await _ in wakes {
                await look()
                while !isClosed, !watch.isSettled, await Self.pause(Self.interval) { await look() }
            }
            group.cancelAll()
        }
    }

    /// Waits for an interval.
    ///
    /// - Returns: `false` if the task was canceled.
    private static func pause(_ interval: Duration) async -> Bool {
        do {
            try await Task.sleep(for: interval)
            return true
        } catch {
            return false
        }
    }

    /// Folders of the watched files, and of the files that symbolic links name.
    private var watchedFolders: Set<URL> {
        let watched = [files.catalog, files.store, files.scenes].compactMap(\.self)
        return Set((watched + watched.map { $0.resolvingSymlinksInPath() }).map { $0.deletingLastPathComponent() })
    }

    /// Checks the files once, and reloads the changed ones.
    package func look() async {
        await waitForTurn()
        defer { endTurn() }
        guard !isClosed else { return }
        var hasChanged = false
        if let url = files.store, watch.hasChanged(url) {
            watch.note(url)
            await readStore(url)
            hasChanged = true
        }
        if watch.hasChanged(files.catalog) {
            watch.note(files.catalog)
            await readCatalog()
            hasChanged = true
        }
        if watch.hasChanged(files.scenes) {
            watch.note(files.scenes)
            readScenes()
            hasChanged = true
        }
        guard hasChanged else { return }
        forgetOverviews()
        changed()
    }

    private func readCatalog() async {
        do {
            let next = try PreviewCatalog(url: files.catalog)
            catalogError = nil
            try await apply(next)
        } catch let unusable as PreviewCatalogError {
            catalogError = unusable
        } catch {
            note(.catalogChanged, "\(files.catalog.lastPathComponent) could not be loaded: \(error)", .failed)
        }
    }

    /// Loads a changed catalog. A store that was created from the catalog is created again if it would sell different
    /// products.
    private func apply(_ next: PreviewCatalog) async throws {
        let result = { (session: PreviewSession) in
            "\(session.manager.listing.count.products), \(session.manager.products.count) for sale"
        }
        if files.store == nil {
            let made = try StoreSource(of: next.catalog)
            guard made.data == store.data else {
                try await rebuild(steps, next, made)
                return note(.catalogChanged, result(session), .done)
            }
        }
        try await session.load(next)
        catalog = next
        translations = Translations()
        state = await ShopState(of: session, next)
        note(.catalogChanged, result(session), .done, session.drainEvents())
    }

    private func readStore(_ url: URL) async {
        do {
            let next = try StoreSource(url: url)
            storeError = nil
            let differing = try await rebuild(steps, catalog, next)
            let sold = next.configuration.items.count + next.configuration.subscriptions.count
            note(
                .storeChanged,
                "\(sold.products) in \(url.lastPathComponent)"
                    + (differing.isEmpty
                        ? "" : "; another outcome now: step \(differing.map(String.init).joined(separator: ", "))"),
                .done)
        } catch let unusable as StoreSourceError {
            storeError = unusable.file
        } catch {
            note(.storeChanged, "\(url.lastPathComponent) could not be used: \(error)", .failed)
        }
    }

    /// Appends a step for a changed file, unless the timeline is full. If the last step is for a change of the same
    /// file, it is replaced.
    private func note(
        _ kind: PreviewStep.Kind, _ result: String, _ outcome: PreviewStep.Outcome, _ events: [String] = []
    ) {
        if steps.last?.kind == kind { steps.removeLast() }
        guard steps.count < Self.mostSteps else { return }
        let name = kind == .catalogChanged ? files.catalog : files.store ?? files.catalog
        steps.append(
            PreviewStep(
                number: steps.count, kind: kind, action: nil, title: "\(name.lastPathComponent.asTitle) was saved",
                result: result.asText, outcome: outcome, date: session.store.clock.now, events: events))
    }
}
