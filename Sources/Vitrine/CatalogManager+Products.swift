public import Foundation
internal import ProductCatalog
internal import Purchasing

extension CatalogManager {
    /// Date of the store's response about the products, from this launch or an earlier one; `nil` if there is none. If
    /// the store has since answered about only a part of the products, the date of its response about the others.
    public nonisolated var storeAnswerDate: Date? { state.snapshot.storeAnswer?.date }

    /// Storefront of the store's response, as the ISO 3166-1 alpha-3 code of its country; `nil` if it is not known.
    public nonisolated var storefront: String? { state.snapshot.storeAnswer?.storefront }

    /// Queries the store again after a change of storefront, because prices differ by country. Nothing is offered until
    /// the store has answered.
    func storefrontChanged() async {
        state.forgetStoreAnswer()
        if let loading {
            _ = await loading.value
            // The result may be from the previous storefront.
            state.forgetStoreAnswer()
        }
        guard record.catalog != nil, !Task.isCancelled else { return }
        await load(byItself: true)
    }

    /// Queries the store about the products of a catalog.
    ///
    /// - Returns: `true` if the store has answered about all of them.
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

    /// Queries the store about one product.
    ///
    /// - Returns: Reason why the store has not answered; `nil` if it has.
    func askStore(about identifier: String) async -> StoreError? {
        let answer = await requester.answer(about: [identifier])
        // Without a storefront, the response cannot be merged with the data of the other products.
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
        // Prices from another country do not apply.
        if let storefront = answer.storefront, let other = earlier?.storefront, other != storefront {
            state.forgetStoreAnswer()
        }
    }

    /// - Parameter isNew: `true` for a response that was just received; `false` for the rest of an earlier response.
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
