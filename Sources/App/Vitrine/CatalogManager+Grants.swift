internal import VitrineCatalog
internal import VitrineEntitlements

extension CatalogManager {
    /// Grants the customer a product outside the store. Repeating the call changes nothing, unless the product was
    /// locked since.
    ///
    /// - Parameters:
    ///   - identifier: Identifier of a product of the catalog that is not a consumable.
    ///   - reason: Reason as text, for later review.
    ///   - author: Author of the grant, as text.
    /// - Throws: ``UnlockError``.
    public func unlock(
        _ identifier: String, because reason: String = "unlocked by the app", by author: String = ""
    ) async throws(UnlockError) {
        let entitlements = try await currentEntitlements()
        guard entitlements.catalog != nil else {
            throw UnlockError(code: .notInCatalog, reason: "no catalog is loaded")
        }
        guard let product = state.snapshot.shown[identifier] else {
            throw UnlockError(code: .notInCatalog, reason: "\(identifier) is not in the catalog")
        }
        guard product.kind != .consumable else {
            throw UnlockError(code: .consumable, reason: "\(identifier) is a consumable, which cannot be owned")
        }
        let locks = entitlements.locks(of: identifier).count
        let grant = Fact.Grant(
            token: "unlock:\(identifier)" + (locks == 0 ? "" : ":\(locks)"), productIdentifier: identifier,
            reason: reason, author: author)
        try await record(.grant(grant))
    }

    /// Locks a product: ends every grant of the product, regardless of the author of the grant. Purchases remain valid.
    ///
    /// - Parameters:
    ///   - identifier: Identifier of the product, even if the catalog no longer contains it.
    ///   - reason: Reason as text, for later review.
    ///   - author: Author of the lock, as text.
    /// - Returns: `true` if the product had a grant.
    /// - Throws: ``UnlockError`` if the ledger does not record the lock.
    @discardableResult
    public func lock(
        _ identifier: String, because reason: String = "locked by the app", by author: String = ""
    ) async throws(UnlockError) -> Bool {
        let entitlements = try await currentEntitlements()
        guard entitlements.hasGrant(of: identifier) else { return false }
        let lock = Fact.Lock(
            token: "lock:\(identifier):\(entitlements.locks(of: identifier).count + 1)",
            productIdentifier: identifier, reason: reason, author: author)
        try await record(.lock(lock))
        return true
    }

    private func currentEntitlements() async throws(UnlockError) -> EntitlementSnapshot {
        do {
            try await state.refresh()
        } catch {
            throw UnlockError(code: .ledger, reason: error.reason)
        }
        return state.snapshot.entitlements
    }

    private func record(_ fact: Fact) async throws(UnlockError) {
        do {
            try await entitlements.record([fact], at: now())
        } catch {
            throw UnlockError(code: .ledger, reason: error.reason)
        }
    }
}

/// Error that explains why a product could not be unlocked or locked.
public typealias UnlockError = CodedError<UnlockErrorCode>

/// Category of ``UnlockError``.
public enum UnlockErrorCode: String, ErrorCode {
    case notInCatalog = "not-in-catalog"
    case consumable
    /// Failure to read the ledger or to record in it.
    case ledger

    public var advice: String? {
        switch self {
        case .notInCatalog: "Load a catalog that contains the product."
        case .consumable: "Credit the units of a consumable to a wallet instead."
        case .ledger: "Free space on the device and check the permissions of the storage directory, then try again."
        }
    }
}
