internal import VitrineCatalog
internal import VitrineEntitlements

extension CatalogManager {
    /// Grants the customer a product outside the store. Repeating the call changes nothing, unless the product was
    /// locked since, on this or another device.
    ///
    /// - Parameters:
    ///   - identifier: Identifier of a product of the catalog that is not a consumable.
    ///   - reason: Reason as text, for later review.
    ///   - author: Author of the grant, as text.
    /// - Throws: ``UnlockError``.
    public func unlock(
        _ identifier: String, because reason: String = "unlocked by the app", by author: String = ""
    ) async throws(UnlockError) {
        try await record { entitlements throws(UnlockError) in
            guard entitlements.catalog != nil else {
                throw UnlockError(code: .notInCatalog, reason: "no catalog is loaded")
            }
            guard let product = state.snapshot.shown[identifier] else {
                throw UnlockError(code: .notInCatalog, reason: "\(identifier) is not in the catalog")
            }
            guard product.kind != .consumable else {
                throw UnlockError(code: .consumable, reason: "\(identifier) is a consumable, which cannot be owned")
            }
            let token = "unlock:\(identifier)"
            guard !entitlements.hasGrant(of: identifier, where: { $0 == token || $0.hasPrefix(token + ":") }) else {
                return nil
            }
            return .grant(
                Fact.Grant(
                    token: "\(token):\(options.makeIdentifier())", productIdentifier: identifier, reason: reason,
                    author: author))
        }
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
        try await record { entitlements in
            guard entitlements.hasGrant(of: identifier) else { return nil }
            return .lock(
                Fact.Lock(
                    token: "lock:\(identifier):\(options.makeIdentifier())", productIdentifier: identifier,
                    reason: reason, author: author))
        }
    }

    private func currentEntitlements() async throws(UnlockError) -> EntitlementSnapshot {
        do {
            try await state.refresh()
        } catch {
            throw UnlockError(code: .ledger, reason: error.reason)
        }
        return state.snapshot.entitlements
    }

    /// Records a grant or lock that follows from the current entitlements. If another task or process records a grant or
    /// lock of the product meanwhile, the fact is decided again.
    ///
    /// Each fact has a token that no other fact has, on any device. An exchange takes facts of two devices with a common
    /// token for records of one fact, of which the earlier counts: a later lock or grant would be lost.
    ///
    /// - Parameter decide: Closure that returns the fact, or `nil` if there is nothing to record.
    /// - Returns: `true` if the fact was recorded.
    @discardableResult
    private func record(
        _ decide: (EntitlementSnapshot) throws(UnlockError) -> Fact?
    ) async throws(UnlockError) -> Bool {
        while true {
            let current = try await currentEntitlements()
            guard let fact = try decide(current) else { return false }
            var dated = DatedFact(fact: fact, date: now())
            dated.decidedAfter = current.lastSequence
            do throws(LedgerError) {
                if try await !entitlements.record([dated]).isEmpty { return true }
            } catch {
                throw UnlockError(code: .ledger, reason: error.reason)
            }
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
