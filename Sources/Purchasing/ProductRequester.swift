package import ProductCatalog

/// Asks a store about products: about so many at a time, in order, and never twice at once about the same.
package actor ProductRequester {
    private typealias Reply = Result<[StoreProduct], StoreError>

    private let store: any Store
    private let batchSize: Int
    /// The requests under way, by each identifier that they are about.
    private var requests: [String: Task<Reply, Never>] = [:]

    /// - Parameter batchSize: The store is asked about at most so many products at a time: two at least, one of which may
    ///   be known to it already.
    package init(store: any Store, batchSize: Int) {
        self.store = store
        self.batchSize = max(2, batchSize)
    }

    /// What the store says about products. Where a request fails, nothing is asked after it, and what those before it
    /// have come to is in the answer.
    ///
    /// A request of which the store knows no product cannot be told from one that fails without saying so: it is made
    /// again with a product beside it that the store has just named. Only where there is such a one, and it is named
    /// again, has the store answered. Nor has a store answered that was moved to another storefront meanwhile.
    package func answer(about identifiers: [String]) async -> ProductAnswer {
        guard !identifiers.isEmpty else { return ProductAnswer() }
        var answer = ProductAnswer()
        do {
            answer.storefront = try await store.storefront()
            for start in stride(from: 0, to: identifiers.count, by: batchSize) {
                let batch = identifiers[start..<min(start + batchSize, identifiers.count)]
                try await ask(about: batch, into: &answer)
            }
            try await askAgain(about: identifiers, into: &answer)
            let unanswered = identifiers.count - answer.asked.count
            if unanswered > 0 { answer.failure = .emptyAnswer(to: unanswered) }
        } catch {
            answer.failure = error
        }
        return answer.asked.isEmpty ? answer : await unmoved(answer)
    }

    /// Asks about what is not answered, beside a product that the store knows.
    private func askAgain(about identifiers: [String], into answer: inout ProductAnswer) async throws(StoreError) {
        let answered = Set(answer.asked)
        let rest = identifiers.filter { !answered.contains($0) }
        guard !rest.isEmpty, let known = answer.products.first?.identifier else { return }
        for start in stride(from: 0, to: rest.count, by: batchSize - 1) {
            try await ask(
                about: rest[start..<min(start + batchSize - 1, rest.count)], beside: known, into: &answer)
        }
        let all = Set(answer.asked)
        answer.asked = identifiers.filter(all.contains)
    }

    /// - Parameter known: A product that each request is also about, so that a reply without it is none.
    private func ask(
        about batch: ArraySlice<String>, beside known: String? = nil, into answer: inout ProductAnswer
    ) async throws(StoreError) {
        let rest = batch.filter { requests[$0] == nil }
        if !rest.isEmpty { request(rest, beside: known) }
        var parts: [Task<Reply, Never>: Set<String>] = [:]
        for identifier in batch {
            if let request = requests[identifier] { parts[request, default: []].insert(identifier) }
        }
        var answered: Set<String> = []
        var products: [StoreProduct] = []
        for (request, wanted) in parts {
            let reply = try await request.value.get()
            guard !reply.isEmpty else { continue }
            answered.formUnion(wanted)
            products += reply.filter { wanted.contains($0.identifier) }
        }
        answer.asked += batch.filter(answered.contains)
        answer.products += products
    }

    private func request(_ identifiers: [String], beside known: String?) {
        let request = Task {
            let reply: Reply
            do throws(StoreError) {
                reply = .success(try await store.products(for: identifiers + [known].compactMap(\.self)))
            } catch {
                reply = .failure(error)
            }
            for identifier in identifiers { requests[identifier] = nil }
            return reply
        }
        for identifier in identifiers { requests[identifier] = request }
    }

    /// - Returns: Nothing but why, where it is not known that all of the answer is of one storefront. After a failure the
    ///   store may not be there to tell: then only another storefront speaks against what it has said.
    private func unmoved(_ answer: ProductAnswer) async -> ProductAnswer {
        do throws(StoreError) {
            let storefront = try await store.storefront()
            guard storefront != answer.storefront, storefront != nil || answer.failure == nil else { return answer }
            return ProductAnswer(
                storefront: storefront,
                failure: StoreError(code: .unavailable, reason: "the storefront changed while the store answered"))
        } catch {
            return answer.failure == nil ? ProductAnswer(failure: error) : answer
        }
    }
}

/// What a store has said about products.
package struct ProductAnswer: Sendable, Hashable {
    /// What it has answered about, in the order in which it was asked.
    package var asked: [String] = []
    package var products: [StoreProduct] = []
    package var storefront: String?
    /// Why it has not answered about the others; `nil` where there are none.
    package var failure: StoreError?
}

extension StoreError {
    fileprivate static func emptyAnswer(to count: Int) -> StoreError {
        StoreError(
            code: .emptyAnswer,
            reason: count == 1
                ? "the store knows nothing of the product that it was asked about"
                : "the store knows none of the \(count) products that it was asked about")
    }
}
