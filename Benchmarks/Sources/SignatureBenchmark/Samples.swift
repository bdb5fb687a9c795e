import Foundation
import VitrinePurchasing
import VitrineStoreSimulator

/// What a simulated store has signed, as files: transactions under a chain of the App Store's shape (root and intermediate
/// P-384, leaf P-256), and app receipts under a chain of RSA keys.
struct Samples {
    static let bundleIdentifier = "com.example.shop"
    static let tokenCount = 1_000
    static let receiptSizes = [0, 14, 187]

    let folder: URL

    /// The transactions, one a line.
    var tokens: URL { folder.appending(path: "tokens") }
    /// What transactions lead to, in PEM.
    var root: URL { folder.appending(path: "root.pem") }
    /// What receipts lead to, in PEM.
    var receiptRoot: URL { folder.appending(path: "receipt-root.pem") }

    /// The receipt with so many purchases, in DER.
    func receipt(_ purchases: Int) -> URL { folder.appending(path: "receipt-\(purchases)") }

    func write() async throws {
        let store = folder.appending(path: "store")
        try SimulatedStore.create(
            in: store, configuration: Data(Self.configuration.utf8), bundleIdentifier: Self.bundleIdentifier)
        try await write(SimulatedStore(folder: store))
    }

    private func write(_ store: SimulatedStore) async throws {
        try Data(store.rootCertificate.utf8).write(to: root)
        try Data(store.receiptRootCertificate.utf8).write(to: receiptRoot)
        var bought = 0
        for size in Self.receiptSizes {
            for index in bought..<size { _ = try await buy("guide\(index)", in: store) }
            bought = size
            try await store.refreshAppReceipt(ReceiptRequest()).write(to: receipt(size))
        }
        var lines: [String] = []
        for _ in 0..<Self.tokenCount { lines.append(try await buy("coins", in: store)) }
        try Data(lines.joined(separator: "\n").utf8).write(to: tokens)
    }

    /// - Returns: The signed transaction.
    private func buy(_ name: String, in store: SimulatedStore) async throws -> String {
        guard
            case .purchased(let transaction) = try await store.purchase(
                "\(Self.bundleIdentifier).\(name)", options: PurchaseOptions(quantity: 1))
        else { preconditionFailure("\(name) was not bought") }
        try await store.finish(transaction)
        return transaction.signedData
    }

    private static var configuration: String {
        let most = receiptSizes.max() ?? 0
        let products = (0..<most).map { product("guide\($0)", "NonConsumable") } + [product("coins", "Consumable")]
        return """
            {"identifier": "0A1B2C3D", "nonRenewingSubscriptions": [], "products": [\(products.joined(separator: ","))],
             "settings": {}, "subscriptionGroups": [], "version": {"major": 2, "minor": 0}}
            """
    }

    private static func product(_ name: String, _ type: String) -> String {
        """
        {"displayPrice": "0.99", "familyShareable": false, "internalID": "\(name)", "localizations": [],
         "productID": "\(bundleIdentifier).\(name)", "referenceName": "\(name)", "type": "\(type)"}
        """
    }
}
