internal import Foundation
internal import Vitrine
internal import VitrineCatalog
internal import VitrineEntitlements
internal import VitrinePurchasing
internal import VitrineStoreSimulator
internal import VitrineSupport

extension PreviewShop {
    /// Maximum number of steps in the timeline.
    static let mostSteps = 500

    /// Performs an action and appends it to the timeline. A failed action is a step as well.
    ///
    /// - Throws: ``PreviewError``: `tooMany` if the timeline is full; `closed`.
    @discardableResult
    package func perform(_ action: PreviewAction) async throws(PreviewError) -> PreviewStep {
        try await beginTurn()
        defer { endTurn() }
        guard steps.count < Self.mostSteps else {
            throw PreviewError(code: .tooMany, reason: "the timeline has \(Self.mostSteps) steps already")
        }
        var next = switches
        let step = await step(action, number: steps.count, in: session, &next)
        switches = next
        steps.append(step)
        state = await ShopState(of: session, catalog)
        changed()
        return step
    }

    /// Goes back to an earlier step: performs all actions up to it again, in a new storage directory.
    ///
    /// - Parameter step: Number of the new last step; 0 for the opening of the shop.
    /// - Throws: ``PreviewError``: `invalidRequest` for a number without a step, `storage`, or `closed`.
    package func goBack(to step: Int) async throws(PreviewError) {
        try await beginTurn()
        defer { endTurn() }
        guard steps.indices.contains(step) else { throw .invalid("the timeline has no step \(step)") }
        try await rebuild(Array(steps[...step]), catalog, store)
        changed()
    }

    /// Returns lines of text that explain why a product is owned or not owned.
    package func why(_ product: String) async -> [String] {
        let manager = session.manager
        return ExplanationText(
            identifier: product.plain(1_000), explanation: manager.ledger.explanation(of: product),
            catalog: manager.catalog.current, originalPurchase: manager.purchases.originalPurchase,
            pending: await manager.purchases.pending()
        ).lines.map(\.asText)
    }

    /// Replaces the session with a new one, which performs the actions of the given steps again.
    ///
    /// - Returns: Numbers of the actions whose outcome has changed.
    @discardableResult
    func rebuild(
        _ before: [PreviewStep], _ catalog: PreviewCatalog, _ store: StoreSource
    ) async throws(PreviewError) -> [Int] {
        let next = try await newSession(catalog, store)
        var (nextSwitches, nextSteps, differing) = (PreviewSwitches(), [PreviewStep](), [Int]())
        nextSteps.append(openingStep(next, await ShopState(of: next, catalog)))
        for old in before.dropFirst() {
            guard let action = old.action else {
                nextSteps.append(old.numbered(nextSteps.count))
                continue
            }
            let new = await step(action, number: nextSteps.count, in: next, &nextSwitches)
            if new.outcome != old.outcome { differing.append(new.number) }
            nextSteps.append(new)
        }
        let nextState = await ShopState(of: next, catalog)
        let last = session
        (session, state, switches, steps) = (next, nextState, nextSwitches, nextSteps)
        (self.catalog, self.store) = (catalog, store)
        translations = Translations()
        await last.close()
        return differing
    }

    /// Performs actions one after the other, and appends them to the timeline.
    func performAll(_ actions: [PreviewAction]) async {
        var next = switches
        for action in actions { steps.append(await step(action, number: steps.count, in: session, &next)) }
        switches = next
        state = await ShopState(of: session, catalog)
    }

    private func step(
        _ action: PreviewAction, number: Int, in session: PreviewSession, _ switches: inout PreviewSwitches
    ) async -> PreviewStep {
        let title = action.title { session.manager.listing(for: $0)?.title ?? $0 }
        let result = await session.perform(action, number: number, &switches)
        return PreviewStep(
            number: number, kind: .action, action: action, title: title.asTitle, result: result.text.asText,
            outcome: result.outcome, date: session.store.clock.now, events: session.drainEvents())
    }

    nonisolated func openingStep(_ session: PreviewSession, _ state: ShopState) -> PreviewStep {
        PreviewStep(
            number: 0, kind: .opened, action: nil, title: "Open the shop",
            result: "\(state.listings.count.products), \(state.offeredCount) for sale", outcome: .done,
            date: session.store.clock.now, events: session.drainEvents())
    }
}

extension PreviewStep {
    /// Returns a copy of the step with another number.
    func numbered(_ number: Int) -> PreviewStep {
        PreviewStep(
            number: number, kind: kind, action: action, title: title, result: result, outcome: outcome, date: date,
            events: events)
    }
}
