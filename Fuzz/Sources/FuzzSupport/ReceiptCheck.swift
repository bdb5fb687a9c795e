internal import Foundation
internal import VitrineReceipts

/// What reading and verifying a receipt promise, whatever is in it.
public struct ReceiptCheck {
    private let data: Data

    public init(_ bytes: [UInt8]) { data = Data(bytes) }

    public func run() {
        let reading = read(data)
        require(read(data) == reading, "the same bytes are read the same")
        checkVerdict(reading)
        switch reading {
        case .success(let receipt):
            checkValues(of: receipt)
            if data.first == 0x30 {
                require(read(data.base64EncodedData()) == reading, "a receipt is the same in base64")
            }
            require((try? ReceiptSignature(unverified: data)) != nil, "a receipt that is read has a signer")
        case .failure(let reason):
            require(!reason.reason.isEmpty && reason.reason.utf8.count < 5_000, "a reason is told, and in few words")
        }
    }

    private func read(_ data: Data) -> Result<AppReceipt, RejectionReason> {
        Result { () throws(RejectionReason) in try AppReceipt(unverified: data) }
    }

    // MARK: Verdict

    /// Nobody here has a key under Apple's roots.
    private func checkVerdict(_ reading: Result<AppReceipt, RejectionReason>) {
        let verifier = AppReceiptVerifier(
            bundleIdentifier: "com.example.app", environment: .sandbox, deviceIdentifier: nil)
        switch wait(for: { [data] in await verifier.verify(receipt: data) }) {
        case .verified: fatalError("broken: a receipt is verified that Apple has not signed")
        case .undetermined(let problem): fatalError("broken: there is nothing to wait for: \(problem)")
        case .rejected(let reasons):
            require(!reasons.isEmpty, "a rejection has reasons")
            if case .failure(let reason) = reading {
                require(reasons.last == reason, "what cannot be read is rejected for that: \(reason)")
            }
        }
    }

    // MARK: Values

    private func checkValues(of receipt: AppReceipt) {
        let texts = [receipt.type.rawValue, receipt.bundleIdentifier, receipt.applicationVersion]
        require(texts.allSatisfy { !$0.isEmpty && !$0.utf8.contains(0) }, "what names an app is not empty")
        let dates = [receipt.creationDate, receipt.originalPurchaseDate, receipt.expirationDate].compactMap(\.self)
        require(dates.allSatisfy(Self.dates.contains), "dates are plausible")
        require(
            receipt.attributes.count { $0.type == 17 } == receipt.purchases.count, "each purchase is an attribute")
        for purchase in receipt.purchases { checkValues(of: purchase) }
    }

    private func checkValues(of purchase: ReceiptPurchase) {
        let texts = [purchase.productIdentifier, purchase.transactionID]
        require(texts.allSatisfy { !$0.isEmpty && !$0.utf8.contains(0) }, "what names a purchase is not empty")
        require(purchase.quantity > 0, "a purchase has units")
        let dates = [
            purchase.purchaseDate, purchase.originalPurchaseDate, purchase.expirationDate, purchase.cancellationDate,
        ]
        require(dates.compactMap(\.self).allSatisfy(Self.dates.contains), "dates of purchases are plausible")
    }

    private static let dates = Date(timeIntervalSince1970: 0)...Date(timeIntervalSince1970: 253_402_300_800)
}
