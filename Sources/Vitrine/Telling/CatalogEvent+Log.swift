internal import Entitlements
internal import Foundation
internal import HostedContent
internal import Logging
internal import ProductCatalog
internal import Purchasing
internal import Receipts

extension CatalogEvent {
    var logLine: LogLine {
        switch self {
        case .statusChanged(let status):
            LogLine(level: .info, text: "status changed", facts: [("status", "\(status)")])
        case .listUpdated(let catalog): LogLine(level: .info, text: "list updated", count: catalog.products.count)
        case .listFailed(let error): LogLine(level: .error, text: "list failed", error)
        case .listNotRefreshed(let error, _): LogLine(level: .warning, text: "list not refreshed", error)
        case .catalogCacheFailed(let error): LogLine(level: .warning, text: "catalog cache failed", error)
        case .productsUpdated(let invalidIdentifiers):
            LogLine(level: .info, text: "products updated", facts: [("unknown", invalidIdentifiers.inOneLine)])
        case .productsFailed(let error): LogLine(level: .warning, text: "products failed", error)
        case .listingChanged(let listings): LogLine(level: .debug, text: "listing changed", count: listings.count)
        case .eventsMissed(let count): LogLine(level: .warning, text: "events missed", count: count)
        case .keptAnswerLost(let error): LogLine(level: .warning, text: "kept answer lost", error)
        case .storeAnswerNotKept(let error): LogLine(level: .warning, text: "store answer not kept", error)
        case .retryScheduled(let date, let failure):
            LogLine(level: .warning, text: "retry scheduled", failure, [("at", date.formatted(.iso8601))])
        case .transactionUpdated(let step): step.logLine
        case .backlogFailed(let error): LogLine(level: .warning, text: "backlog failed", error)
        case .ownershipChanged(let identifiers):
            LogLine(level: .info, text: "ownership changed", facts: [("products", identifiers.inOneLine)])
        case .originalPurchaseKnown(let original):
            LogLine(level: .debug, text: "original purchase known", details: [("version", original.version)])
        case .appTransactionFailed(let failure):
            LogLine(level: failure.isFinal ? .error : .warning, text: "app transaction failed", failure)
        case .receiptDidValidate(let receipt):
            LogLine(level: .info, text: "receipt validated", count: receipt.receipt.purchases.count)
        case .receiptValidationDidFail(let failure):
            LogLine(level: .error, text: "receipt validation failed", failure)
        case .receiptPurchaseWaits(let unrecorded):
            LogLine(
                level: .warning, text: "receipt purchase waits",
                facts: [("products", unrecorded.purchase.productIdentifier), ("reason", unrecorded.reason.code)],
                details: [
                    ("transaction", unrecorded.purchase.transactionID), ("words", unrecorded.reason.description),
                ])
        case .contentFailed(let error): LogLine(level: .warning, text: "content failed", error)
        case .imageFailed(_, let error): LogLine(level: .warning, text: "image failed", error)
        case .imagesNotKept(let error): LogLine(level: .warning, text: "images not kept", error)
        case .contentMayBeBackedUp(let gap):
            LogLine(level: .warning, text: "content may be backed up", details: [("words", gap.description)])
        case .downloadUpdated(let download): download.logLine
        case .contentInstalled(let content):
            LogLine(
                level: .info, text: "content installed",
                facts: [("products", content.productIdentifier), ("version", content.version)])
        case .contentRemoved(let identifiers):
            LogLine(level: .info, text: "content removed", facts: [("products", identifiers.inOneLine)])
        case .walletChanged(let wallet, let balance):
            LogLine(level: .debug, text: "wallet changed", details: [("wallet", wallet), ("balance", "\(balance)")])
        case .ledgerLossChanged(.some(let loss)):
            LogLine(level: .error, text: "ledger lost", details: [("words", loss.reason)])
        case .ledgerLossChanged(.none): LogLine(level: .info, text: "ledger loss settled")
        case .ledgerRebuilt(let result): LogLine(text: "ledger rebuilt", result)
        case .predecessorTakenOver(let predecessor, _):
            LogLine(level: .info, text: "predecessor taken over", facts: [("predecessor", predecessor.rawValue)])
        case .purchasePromoted(let identifier):
            LogLine(level: .info, text: "purchase promoted", facts: [("products", identifier)])
        case .ledgerFailed(let error): LogLine(level: .error, text: "ledger failed", error)
        case .purchaseAnswered(let identifier, let answer): answer.logLine(of: identifier)
        case .restoreAnswered(let result): LogLine(text: "restore answered", result)
        case .restoreFailed(let error): LogLine(level: .warning, text: "restore failed", error)
        }
    }
}

extension LogLine {
    fileprivate init(level: Logger.Level, text: String, count: Int) {
        self.init(level: level, text: text, facts: [("count", "\(count)")])
    }

    fileprivate init(level: Logger.Level, text: String, _ error: any Error, _ facts: [Part] = []) {
        self.init(
            level: level, text: text, facts: [("error", ErrorCode.of(error))] + facts, details: [("words", "\(error)")])
    }

    fileprivate init(text: String, _ result: RestoreResult) {
        self.init(
            level: result.failed.isEmpty ? .info : .warning, text: text,
            facts: [
                ("restored", result.restored.inOneLine), ("alreadyOwned", "\(result.alreadyOwned.count)"),
                ("takenBack", result.takenBack.inOneLine), ("otherAccounts", "\(result.otherAccounts.count)"),
                ("failed", "\(result.failed.count)"),
            ],
            details: result.failed.map { ("transaction \($0.transactionID)", $0.reason.description) })
    }
}

extension TransactionStep {
    fileprivate var logLine: LogLine {
        switch self {
        case .received(let transaction):
            LogLine(level: .debug, text: "transaction received", details: transaction.claims)
        case .verified(let signed): LogLine(level: .debug, text: "transaction verified", signed)
        case .recorded(let signed, let isNew):
            LogLine(level: .info, text: "transaction recorded", signed, [("new", "\(isNew)")])
        case .revoked(let signed, let isNew):
            LogLine(level: .info, text: "transaction revoked", signed, [("new", "\(isNew)")])
        case .contentInstalled(let signed, let products):
            LogLine(
                level: .debug, text: "transaction's content installed", signed, [("installed", products.inOneLine)])
        case .finished(let signed): LogLine(level: .info, text: "transaction finished", signed)
        case .notFinished(let signed, let error):
            LogLine(
                level: .warning, text: "transaction not finished", signed, [("error", ErrorCode.of(error))],
                words: error.reason)
        case .waiting(let transaction, .verification(let reason)):
            LogLine(
                level: .warning, text: "transaction waits", facts: [("reason", "verification")],
                details: transaction.claims + [("words", reason)])
        case .waiting(let transaction, let reason):
            LogLine(
                level: .warning, text: "transaction waits",
                facts: (transaction.claimedProduct.map { [("products", $0)] } ?? []) + [("reason", reason.code)],
                details: [("transaction", transaction.id), ("words", reason.description)])
        case .rejected(let transaction, let reasons):
            LogLine(
                level: .error, text: "transaction rejected", facts: [("reason", reasons.codes)],
                details: transaction.claims + [("words", reasons.inWords)])
        case .renewalIgnored(let signed, let reason):
            LogLine(level: .warning, text: "renewal ignored", signed, words: reason)
        case .discarded(let transaction):
            LogLine(level: .info, text: "transaction discarded", details: transaction.claims)
        }
    }
}

extension StoreTransaction {
    /// What it says of itself before it is verified. A forged one may have anything in the place of a product.
    fileprivate var claims: [LogLine.Part] {
        [("transaction", id)] + (claimedProduct.map { [("products", $0)] } ?? [])
    }
}

extension LogLine {
    fileprivate init(
        level: Logger.Level, text: String, _ signed: SignedTransaction, _ facts: [Part] = [], words: String? = nil
    ) {
        let payload = signed.payload
        var details: [Part] = [
            ("transaction", payload.transactionID), ("original", payload.originalTransactionID),
        ]
        if let token = payload.appAccountToken { details.append(("account", token.uuidString)) }
        if let words { details.append(("words", words)) }
        self.init(
            level: level, text: text, facts: [("products", payload.productIdentifier)] + facts, details: details)
    }
}

extension PurchaseAnswer {
    fileprivate func logLine(of identifier: String) -> LogLine {
        let text = "purchase answered"
        switch self {
        case .success(let signed, let notChargedAgain):
            return LogLine(
                level: .info, text: text, signed,
                [("answer", notChargedAgain ? "bought before" : "success")])
        case .pending(let reason):
            return LogLine(
                level: .info, text: text, facts: [("products", identifier), ("answer", "pending: \(reason.code)")],
                details: [("words", reason.words)])
        case .cancelled:
            return LogLine(level: .info, text: text, facts: [("products", identifier), ("answer", "cancelled")])
        case .failed(let failure):
            return LogLine(
                level: failure.code == .rejected ? .error : .info, text: text, failure,
                [("products", identifier), ("answer", "failed")])
        }
    }
}

extension DownloadStatus {
    fileprivate var logLine: LogLine {
        let facts: [LogLine.Part] = [("products", id), ("state", state.rawValue)]
        guard let error else { return LogLine(level: .debug, text: "download updated", facts: facts) }
        return LogLine(level: .warning, text: "download updated", error, facts)
    }
}

extension AppTransactionFailure {
    fileprivate var isFinal: Bool { if case .rejected = self { true } else { false } }
}

extension [String] {
    fileprivate var inOneLine: String { joined(separator: " ") }
}
