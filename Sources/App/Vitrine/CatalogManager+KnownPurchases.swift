internal import VitrineCatalog
internal import VitrineEntitlements
internal import VitrinePurchasing
internal import VitrineReceipts
internal import VitrineSupport

extension CatalogManager {
    /// `true` if the ledger may lack purchases that the store knows on this device: in a new installation, also with a
    /// ledger from a backup, after the loss of an earlier ledger, and after a change of the App Store account. Products that
    /// may be owned are not offered until the purchases are read.
    var arePurchasesUnread: Bool { entitlements.snapshot.isIncomplete || state.isAccountUnread }

    /// Reads the purchases that the store knows of an App Store account that has replaced the former one, unless
    /// each account has a ledger of its own.
    func readPurchasesOfReplacedAccount() async {
        guard state.isAccountUnread else { return }
        state.set(isIncomplete: true)
        await loadUnreadPurchases()
    }

    /// Loads the products again, so that the purchases that the store knows of the present App Store account are
    /// recorded. A load in progress that records them suffices.
    func loadUnreadPurchases() async {
        guard record.catalog != nil else { return }
        if let loading {
            _ = await loading.value
            // The load may have read the purchases of the former account.
            guard arePurchasesUnread || !areChangesRead else { return }
        }
        await load(byItself: true)
    }

    /// Lets the purchases that the store knows be read again if the catalog contains a product that it did not contain,
    /// or declared otherwise, when its purchase was found, or if the app was too old to know the product's type.
    func expectMissingPurchases(in catalog: Catalog) {
        guard let known = knownPurchases, known.missingProducts.contains(where: catalog.mayDeliver) else { return }
        state.set(isIncomplete: true)
    }

    /// Records the purchases that the store knows on this device, if that was not done yet, without prompting the
    /// customer.
    ///
    /// The list on the device may be empty because the store was never reached. It therefore counts as complete only if
    /// the store has answered the last query about products.
    ///
    /// - Parameter before: Ownership before the load; `nil` for the present one.
    func readKnownPurchases(ownedBefore before: EntitlementSnapshot? = nil) async {
        guard !isReadingPurchases, arePurchasesUnread, !Task.isCancelled else { return }
        isReadingPurchases = true
        defer { isReadingPurchases = false }
        state.set(isIncomplete: true)
        let (loss, place, account) = (entitlements.snapshot.loss, accountPlace, state.account)
        do {
            let result = try await queue.recordKnown(ownedBefore: before)
            let isFound = !result.restored.isEmpty || !result.revoked.isEmpty || !result.failed.isEmpty
            // With an empty answer about products, an empty list of purchases may be a failure too.
            guard isFound || hasStoreAnswered, await noteRead(result, after: loss, in: place, of: account) else {
                return
            }
            if isFound || loss != nil { state.send(.restore(.found(result))) }
        } catch {
            notePurchasesFailure(error)
        }
    }

    /// Records once in each launch what has changed among the purchases that the store knows, unless they were all read in
    /// this launch. Until then, and if it fails, the ledger tells what is owned.
    ///
    /// If the app keeps App Store accounts apart, the present account is to be determined before.
    ///
    /// - Parameter before: Ownership before the load.
    func readChangedPurchases(ownedBefore before: EntitlementSnapshot) async {
        guard !isReadingPurchases, !areChangesRead, !arePurchasesUnread, hasStoreAnswered, !Task.isCancelled,
            separateLedger == nil || isAccountVerified
        else { return }
        isReadingPurchases = true
        defer { isReadingPurchases = false }
        let place = accountPlace
        do {
            let result = try await queue.recordChanges(ownedBefore: before)
            guard accountPlace == place else { return }
            await noteMissing(result.failed.compactMap(\.missingProduct))
            guard accountPlace == place else { return }
            areChangesRead = !result.failed.contains { $0.reason.mayBeAnotherNextTime || $0.reason.isPostponedByApp }
            if !result.restored.isEmpty || !result.revoked.isEmpty { state.send(.restore(.found(result))) }
        } catch {
            state.send(.loading(.purchasesFailed(error)))
        }
    }

    /// Reads the purchases that the store knows before a product is bought that may be one of them.
    ///
    /// - Returns: Reason why the store has not answered; `nil` if it has.
    func readKnownPurchases(beforeBuying identifier: String) async -> StoreError? {
        if !record.isStoreReached, let failure = await askStore(about: identifier) { return failure }
        await readKnownPurchases()
        return record.purchasesFailure
    }

    /// Records beside the ledger's entries that the store's purchases were read, if all of them were.
    ///
    /// - Parameters:
    ///   - loss: Loss of an earlier ledger before the purchases were recorded. Another loss since then means that they
    ///     were recorded in a ledger that is no longer in use.
    ///   - place: Storage directory of the App Store account before the purchases were read. They say nothing about the
    ///     ledger of an account that was signed in since then.
    ///   - account: App Store account whose purchases were read. If another one is signed in since then and both use
    ///     this ledger, those of the other one remain unread.
    /// - Returns: `true` if the ledger has all purchases that the store has listed.
    @discardableResult
    func noteRead(
        _ result: RestoreResult, after loss: Fact.Loss?, in place: Home, of account: String?
    ) async -> Bool {
        guard record.isStoreReached, entitlements.snapshot.loss == loss, accountPlace == place else { return false }
        if let failure = result.failed.first(where: \.reason.mayBeAnotherNextTime) {
            notePurchasesFailure(
                StoreError(
                    code: .unavailable,
                    reason: "a purchase that the store knows cannot be recorded yet: \(failure.reason)"))
            return false
        }
        let missing = result.failed.compactMap(\.missingProduct)
        var known = KnownPurchases(
            missingProducts: Dictionary(missing.map { ($0.identifier, $0.type) }) { first, _ in first })
        do {
            try await known.store(in: entitlements.ledger, of: home)
        } catch {
            notePurchasesFailure(StoreError(code: .storage, reason: error.reason))
            return false
        }
        (knownPurchases, areChangesRead) = (known, !result.failed.contains(where: \.reason.isPostponedByApp))
        record.apply(purchasesFailure: nil)
        state.noteRead(of: account)
        state.set(isIncomplete: state.isAccountUnread)
        return true
    }

    /// Records beside the ledger's entries which purchases cannot be recorded under the present catalog, so that the
    /// store's list is read again under a catalog that contains their products: another device may have finished the
    /// transactions by then, and the store does not send them again.
    func noteMissing(_ products: [(identifier: String, type: String)]) async {
        // Purchases that were never read are read in any case.
        guard var known = knownPurchases else { return }
        let new = products.filter { known.missingProducts[$0.identifier] == nil }
        guard !new.isEmpty else { return }
        for product in new { known.missingProducts[product.identifier] = product.type }
        knownPurchases = known
        do {
            try await StoredJSON.knownPurchases.store(known, in: entitlements.ledger)
        } catch {
            state.send(.ledger(.failed(error)))
        }
    }

    /// `true` if the store has answered the last query about products, and knows at least one of them.
    private var hasStoreAnswered: Bool { record.isStoreReached && record.productsFailure?.code != .emptyAnswer }

    /// Records and reports that the purchases which the store knows could not be read. While the store is not reached,
    /// the failed query about products says so.
    private func notePurchasesFailure(_ error: StoreError) {
        guard record.isStoreReached else { return }
        record.apply(purchasesFailure: error)
        state.send(.loading(.purchasesFailed(error)))
    }
}

extension PendingTransaction.State {
    /// `true` if the transaction waits for its verification, for a hook of the app, for the ledger or for the catalog:
    /// the next attempt to record it may succeed.
    fileprivate var mayBeAnotherNextTime: Bool {
        switch self {
        case .waiting(.verification), .waiting(.catalogNotLoaded), .waiting(.hookRunning): true
        case .waiting(.ledger(let error)): !error.isAboutFacts
        default: false
        }
    }

    /// `true` if the purchase is recorded, and the app has postponed its delivery.
    fileprivate var isPostponedByApp: Bool { if case .waiting(.handler) = self { true } else { false } }
}

extension PendingTransaction.State {
    /// Returns the product of a purchase that may be recorded under another catalog, or by a later version of Vitrine,
    /// with its type; `nil` for any other purchase. Consumables are left to their transactions.
    fileprivate func missingProduct(
        _ product: String?, _ type: SignedProductKind?
    ) -> (identifier: String, type: String)? {
        guard let product, let type, type != .consumable else { return nil }
        switch self {
        case .waiting(.unknownProduct), .waiting(.kindMismatch), .waiting(.unknownKind): break
        case .waiting(.noDuration) where type == .nonRenewingSubscription: break
        default: return nil
        }
        return (product, type.rawValue)
    }
}

extension PendingTransaction {
    var missingProduct: (identifier: String, type: String)? { state.missingProduct(productIdentifier, productType) }
}

extension RestoreResult.Failure {
    var missingProduct: (identifier: String, type: String)? { reason.missingProduct(productIdentifier, productType) }
}

extension Catalog {
    /// Returns `true` if a purchase may be recorded that could not be recorded before.
    ///
    /// - Parameter type: Type of the product as the store has signed it.
    fileprivate func mayDeliver(_ product: String, _ type: String) -> Bool {
        guard let declared = self[product], let kind = ProductKind(SignedProductKind(rawValue: type)),
            declared.kind == kind || declared.kind == .unknown
        else { return false }
        return kind != .nonRenewingSubscription || declared.subscriptionDuration != nil
    }
}
