internal import Foundation
internal import Vitrine
internal import VitrineStoreSimulator
internal import VitrineSupport

/// Reload of changed files. A changed catalog is loaded as an app loads an update; for a changed `.storekit` file, all
/// actions are performed again with a new store.
extension PreviewShop {
    /// Interval at which the files are checked for changes.
    private static let interval = Duration.milliseconds(25)

    /// Watches the catalog, the `.storekit` file and the scenes for changes, until the task is canceled or the shop is
    /// closed.
    package func watch() async {
        while !isClosed {
            do {
                try await Task.sleep(for: Self.interval)
            } catch {
                return
            }
            await look()
        }
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
        if hasChanged { changed() }
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
