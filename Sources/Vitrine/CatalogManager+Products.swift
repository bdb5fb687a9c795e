public import Foundation
internal import ProductCatalog
internal import Purchasing

extension CatalogManager {
    /// When the store said what is known of the products, in this launch or an earlier one; `nil` where it never has.
    /// Where it has answered about a part of them since, this is when it answered about the others.
    public nonisolated var storeAnswerDate: Date? { state.snapshot.storeAnswer?.date }

    /// The storefront for which the store has answered, as ISO 3166-1 alpha-3 names its country; `nil` where that is not
    /// known.
    public nonisolated var storefront: String? { state.snapshot.storeAnswer?.storefront }

    /// Nothing costs what it did in another country: the store is asked anew, and nothing is offered until it has answered.
    func storefrontChanged() async {
        state.forgetStoreAnswer()
        if let loading {
            _ = await loading.value
            // What it has come to may be of the storefront before.
            state.forgetStoreAnswer()
        }
        guard record.catalog != nil, !Task.isCancelled else { return }
        await load(byItself: true)
    }

    /// Asks the store what it says about the products of a catalog.
    ///
    /// - Returns: Whether it has answered about all of them.
    func askStore(for catalog: Catalog) async -> Bool {
        let identifiers = catalog.products.map(\.identifier)
        state.set(paymentRestriction: await store.paymentRestriction())
        let answer = await requester.answer(about: identifiers)
        await takeIn(answer, for: identifiers)
        record.take(answer.failure)
        guard let failure = answer.failure else { return true }
        state.tell(.loading(.productsFailed(failure)))
        return false
    }

    /// Asks the store about one product.
    ///
    /// - Returns: Why it has not answered; `nil` where it has.
    func askStore(about identifier: String) async -> StoreError? {
        let answer = await requester.answer(about: [identifier])
        // Without a storefront it cannot take its place beside what is known of the others.
        if answer.storefront != nil {
            await takeIn(answer, for: state.snapshot.catalog?.products.map(\.identifier) ?? [])
        }
        record.noteReach(answer.failure)
        return answer.failure
    }

    func takeIn(_ answer: ProductAnswer, for identifiers: [String]) async {
        let earlier = state.snapshot.storeAnswer
        guard answer.asked.isEmpty else {
            await takeIn(
                StoreAnswer(
                    asked: answer.asked, products: answer.products, date: now(), storefront: answer.storefront,
                    language: options.languages.first
                ).completed(by: earlier, for: identifiers))
            return
        }
        // Nothing costs what it did in another country.
        if let storefront = answer.storefront, let other = earlier?.storefront, other != storefront {
            state.forgetStoreAnswer()
        }
    }

    /// - Parameter isNew: The store has said it just now; otherwise it is what is left of an earlier answer.
    func takeIn(_ answer: StoreAnswer, isNew: Bool = true) async {
        state.set(answer, isNew: isNew)
        guard options.keepsStoreAnswer else { return }
        if let keptAnswer, answer.isCovered(by: keptAnswer) { return }
        do {
            try await answer.keep(in: ledger)
            keptAnswer = answer
        } catch {
            state.tell(.loading(.productsNotStored(error)))
        }
    }
}
