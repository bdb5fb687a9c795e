package import VitrineCatalog
internal import VitrineSupport

/// Requester of products, which asks a store in batches and in order. It never requests the same product twice at the
/// same time.
package actor ProductRequester {
    private typealias Reply = Result<[StoreProduct], StoreError>

    private let store: any Store
    private let batchSize: Int
    /// Requests in progress, by the identifiers of the requested products.
    private var requests: [String: Task<Reply, Never>] = [:]

    /// Creates a requester.
    ///
    /// - Parameter batchSize: The maximum number of products in a request; at least two, because a repeated request
    ///   contains an additional product that the store knows.
    package init(store: any Store, batchSize: Int) {
        self.store = store
        self.batchSize = max(2, batchSize)
    }

    /// Requests products from the store. After a failed request, no further request is made, and the results of earlier
    /// requests are returned.
    ///
    /// An empty response may mean that the store knows none of the products, or that the request failed silently. The
    /// request is therefore repeated with an additional product that the store has just returned. The response is valid
    /// only if there is such a product, and it is returned again. A response is also invalid if the storefront changed
    /// in the meantime.
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
            let asked = Set(answer.asked)
            let unanswered = identifiers.filter { !asked.contains($0) }
            if !unanswered.isEmpty { answer.failure = .emptyAnswer(to: unanswered) }
        } catch {
            answer.failure = error
        }
        return answer.asked.isEmpty ? answer : await unmoved(answer)
    }

    /// Requests the unanswered products again, together with an additional product that the store knows.
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

    /// Requests a batch of products.
    ///
    /// - Parameter known: Additional product in each request. A response without it is invalid.
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

    /// Checks that the customer's storefront did not change while products were requested.
    ///
    /// - Returns: The given answer, or only its failure if the products may come from different storefronts. If a
    ///   request has failed, an unknown storefront does not invalidate the answer, because the store may be unable to
    ///   return it.
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

/// Result of requesting products from a store.
package struct ProductAnswer: Sendable, Hashable {
    /// Identifiers that the store has answered about, in the order of the request.
    package var asked: [String] = []
    package var products: [StoreProduct] = []
    package var storefront: String?
    /// Error that ended the requests, so that the remaining products are unanswered; `nil` if the store answered about
    /// all products.
    package var failure: StoreError?
}

extension StoreError {
    /// Maximum number of product identifiers in an error message.
    private static let mostNamed = 5

    fileprivate static func emptyAnswer(to identifiers: [String]) -> StoreError {
        let named = identifiers.prefix(mostNamed).joined(separator: ", ")
        let others = identifiers.count > mostNamed ? " and \(identifiers.count - mostNamed) others" : ""
        return StoreError(
            code: .emptyAnswer,
            reason: identifiers.count == 1
                ? "the store does not know the requested product \(named)"
                : "the store knows none of the \(identifiers.count) requested products: \(named)\(others)")
    }
}
