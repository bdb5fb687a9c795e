internal import Foundation
internal import VitrineCatalog
internal import VitrineEntitlements
internal import VitrinePurchasing
internal import VitrineReceipts

/// Recorder of the original purchase of the app, and of the grants that result from grandfathering rules.
struct Grandfathering {
    let store: any Store
    let verifier: any TransactionVerifier
    let entitlements: EntitlementStore
    let state: ManagerState
    let sandboxOriginalVersion: SandboxOriginalVersion
    let now: @Sendable () -> Date

    /// Records the original purchase and the resulting grants. Failures are reported by events, and retried the next
    /// time; recorded facts stay.
    ///
    /// - Parameter receipt: Receipt to use if the store reports that it has no app transaction; `nil` if there is no
    ///   valid receipt. While the app transaction is unavailable, the receipt is not used, because it does not name the
    ///   platform.
    func decide(_ receipt: SignedAppReceipt?) async {
        do throws(LedgerError) {
            let purchase = await purchase(orFrom: receipt)
            let known = state.snapshot.entitlements.appPurchase
            let isProvedBetter = known?.receiptDigest != nil && purchase?.receiptDigest == nil
            if let purchase, purchase.original != known?.original || isProvedBetter, purchase.replaces(known) {
                let proof = purchase.receiptDigest == nil ? nil : receipt.map { Fact.receipt(Fact.Receipt($0)) }
                try await entitlements.record([proof, .appPurchase(purchase)].compactMap(\.self), at: now())
            }
            let snapshot = state.snapshot
            let grants = snapshot.entitlements.missingGrandfatheringGrants
            // A catalog that sells nothing new grants nothing either.
            guard !grants.isEmpty, snapshot.sellingObstacle == nil else { return }
            try await entitlements.record(grants.map(Fact.grant), at: now())
        } catch {
            state.send(.ledger(.failed(error)))
        }
    }

    private func purchase(orFrom receipt: SignedAppReceipt?) async -> Fact.AppPurchase? {
        do {
            return try await appTransactionPurchase() ?? receipt.flatMap(receiptPurchase)
        } catch {
            state.send(.entitlements(.appTransactionFailed(error)))
            return nil
        }
    }

    /// Requests the App Store account that is signed in on this device, and verifies the answer.
    ///
    /// - Returns: `nil` if the store names no account.
    func account() async throws(ReceiptFailure) -> String? {
        let signed = try await verified { () async throws(StoreError) in try await store.signedAccount() }
        return signed?.payload.appTransactionID.flatMap { $0.isEmpty ? nil : $0 }
    }

    /// Requests an app transaction, and verifies it.
    ///
    /// - Returns: `nil` if the store has none.
    private func verified(
        _ request: () async throws(StoreError) -> String?
    ) async throws(ReceiptFailure) -> SignedAppTransaction? {
        let answer: String?
        do {
            answer = try await request()
        } catch {
            throw .store(error)
        }
        guard let signedData = answer else { return nil }
        switch await verifier.verify(appTransaction: signedData) {
        case .verified(let signed): return signed
        case .rejected(let reasons): throw .rejected(reasons)
        case .undetermined(let reason): throw .undetermined(reason)
        }
    }

    /// Reads the original purchase of the app from the store's app transaction.
    ///
    /// - Returns: `nil` if the store has no app transaction.
    private func appTransactionPurchase() async throws(ReceiptFailure) -> Fact.AppPurchase? {
        let answer = try await verified { () async throws(StoreError) in try await store.appTransaction() }
        guard let signed = answer else { return nil }
        state.note(account: signed.payload.appTransactionID)
        let (payload, environment) = (signed.payload, signed.payload.environment)
        guard payload.originalPurchaseDate.timeIntervalSince1970 >= 0 else {
            throw .undetermined("the date of the original purchase of the app is unknown, because Xcode signs none")
        }
        guard let original = originalPurchase(OriginalPurchase(payload), in: environment) else {
            throw .undetermined(
                "the original version of the app is unknown, because the sandbox reports version "
                    + "\(Self.sandboxVersion) for every customer")
        }
        return Fact.AppPurchase(
            original: original, environment: environment.rawValue, signedDate: payload.signedDate,
            signedData: signed.signedData)
    }

    /// Reads the original purchase of the app from a verified receipt.
    ///
    /// - Returns: `nil` if the receipt does not contain this customer's original purchase.
    private func receiptPurchase(_ signed: SignedAppReceipt) -> Fact.AppPurchase? {
        let environment = signed.receipt.type.environment
        guard let said = OriginalPurchase(signed.receipt),
            let original = originalPurchase(said, in: environment)
        else { return nil }
        return Fact.AppPurchase(
            original: original, environment: environment.rawValue, signedDate: signed.receipt.creationDate,
            signedData: "", receiptDigest: signed.digest)
    }
}

extension Grandfathering {
    /// Version that Apple's sandbox reports as the original version for every customer.
    private static let sandboxVersion = "1.0"

    /// Returns the original purchase, for the sandbox with the version that ``SandboxOriginalVersion`` determines.
    ///
    /// - Returns: `nil` if the signed data does not identify this customer's original version.
    private func originalPurchase(
        _ said: OriginalPurchase, in environment: StoreEnvironment
    ) -> OriginalPurchase? {
        var original = said
        guard environment == .sandbox, original.version == Self.sandboxVersion else { return original }
        switch sandboxOriginalVersion {
        case .unknown: return nil
        case .asSigned: return original
        case .override(let version):
            original.version = version
            return original
        }
    }
}

extension OriginalPurchase {
    /// Reads the original purchase in an app transaction. Older signed data does not name the platform; the platform of
    /// the running app is then used.
    fileprivate init(_ payload: AppTransactionPayload) {
        self.init(
            version: payload.originalApplicationVersion, date: payload.originalPurchaseDate,
            platform: payload.originalPlatform.map(AppPlatform.init) ?? .current)
    }

    /// Reads the original purchase in a receipt. A receipt does not name the platform; the platform of the running app
    /// is used.
    ///
    /// - Returns: `nil` if the receipt does not contain the original purchase.
    init?(_ receipt: AppReceipt) {
        guard let version = receipt.originalApplicationVersion, let date = receipt.originalPurchaseDate else {
            return nil
        }
        self.init(version: version, date: date, platform: .current)
    }
}

extension AppPlatform {
    /// Platform of the running app; `nil` on Linux, where no app is sold.
    fileprivate static var current: AppPlatform? {
        #if os(macOS) || targetEnvironment(macCatalyst)
            .macOS
        #elseif os(iOS)
            .iOS
        #elseif os(tvOS)
            .tvOS
        #elseif os(visionOS)
            .visionOS
        #else
            nil
        #endif
    }
}
