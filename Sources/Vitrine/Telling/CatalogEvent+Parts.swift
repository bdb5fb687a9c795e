internal import ProductCatalog
internal import Purchasing
internal import Receipts

extension CatalogEvent {
    /// The identifiers of the products that it is about; none where it is about all of them, or about none. Of a transaction
    /// that may not be verified, received, waiting, rejected or discarded, it is what the transaction claims to be for.
    public var products: [String] {
        switch self {
        case .listingChanged(let listings): listings.map(\.id)
        case .transactionUpdated(let step): step.products
        case .ownershipChanged(let identifiers), .contentRemoved(let identifiers): identifiers
        case .downloadUpdated(let download): [download.id]
        case .contentInstalled(let content): [content.productIdentifier]
        case .purchasePromoted(let identifier), .purchaseAnswered(let identifier, _): [identifier]
        case .restoreAnswered(let result), .ledgerRebuilt(let result):
            (result.restored + result.alreadyOwned + result.takenBack).withoutDuplicates
        case .receiptPurchaseWaits(let unrecorded): [unrecorded.purchase.productIdentifier]
        case .statusChanged, .listUpdated, .listFailed, .listNotRefreshed, .catalogCacheFailed, .productsUpdated,
            .productsFailed, .eventsMissed, .keptAnswerLost, .storeAnswerNotKept, .retryScheduled, .backlogFailed,
            .originalPurchaseKnown, .appTransactionFailed, .receiptDidValidate, .receiptValidationDidFail,
            .contentFailed, .contentMayBeBackedUp, .walletChanged, .ledgerLossChanged, .predecessorTakenOver,
            .restoreFailed, .ledgerFailed, .imageFailed, .imagesNotKept:
            []
        }
    }

    /// What went wrong; `nil` where nothing did.
    public var error: (any Error)? {
        switch self {
        case .listFailed(let error), .listNotRefreshed(let error, _): error
        case .catalogCacheFailed(let error): error
        case .productsFailed(let error), .backlogFailed(let error), .restoreFailed(let error): error
        case .keptAnswerLost(let error), .storeAnswerNotKept(let error), .ledgerFailed(let error): error
        case .retryScheduled(_, let failure): failure
        case .transactionUpdated(.notFinished(_, let error)): error
        case .transactionUpdated(.waiting(_, .ledger(let error))): error
        case .transactionUpdated(.waiting(_, .content(let error))): error
        case .transactionUpdated(.rejected(_, let reasons)):
            PurchaseFailure(code: .rejected, reason: reasons.inWords)
        case .appTransactionFailed(let error): error
        case .receiptValidationDidFail(let error): error
        case .contentFailed(let error): error
        case .imageFailed(_, let error), .imagesNotKept(let error): error
        case .downloadUpdated(let download): download.error
        case .purchaseAnswered(_, .failed(let failure)): failure
        case .purchaseAnswered(_, .pending(.outcomeUnknown(let error))): error
        case .purchaseAnswered(_, .pending(.content(let error))): error
        case .purchaseAnswered(_, .pending(.delivery(.ledger(let error)))): error
        case .statusChanged, .listUpdated, .productsUpdated, .listingChanged, .eventsMissed, .transactionUpdated,
            .ownershipChanged, .originalPurchaseKnown, .receiptDidValidate, .receiptPurchaseWaits,
            .contentMayBeBackedUp, .contentInstalled, .contentRemoved, .walletChanged, .ledgerLossChanged,
            .ledgerRebuilt, .predecessorTakenOver, .purchasePromoted, .purchaseAnswered, .restoreAnswered:
            nil
        }
    }
}

extension TransactionStep {
    /// What the transaction is of or claims to be of, and what content was installed for it; none where it cannot be read.
    fileprivate var products: [String] {
        switch self {
        case .contentInstalled(let signed, let products):
            ([signed.payload.productIdentifier] + products).withoutDuplicates
        case .received(let transaction), .waiting(let transaction, _), .rejected(let transaction, _),
            .discarded(let transaction):
            transaction.claimedProduct.map { [$0] } ?? []
        default: signed.map { [$0.payload.productIdentifier] } ?? []
        }
    }

    /// The transaction, in the steps that tell of one that was verified; `nil` in the others.
    var signed: SignedTransaction? {
        switch self {
        case .verified(let signed), .recorded(let signed, _), .revoked(let signed, _), .contentInstalled(let signed, _),
            .finished(let signed), .notFinished(let signed, _), .renewalIgnored(let signed, _):
            signed
        case .received, .waiting, .rejected, .discarded: nil
        }
    }
}

extension StoreTransaction {
    /// What it claims to be for, whoever has signed it; `nil` where it cannot be read.
    var claimedProduct: String? { TransactionPayload(unverified: signedData)?.productIdentifier }
}
