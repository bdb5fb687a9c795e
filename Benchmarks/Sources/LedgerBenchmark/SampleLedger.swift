import Foundation
import VitrineEntitlements
import VitrineEntitlementsSQLite

/// A ledger of a million entries.
enum SampleLedger: String {
    /// Purchases of 8,900 guides of the shop, of 890 packs of ten of these, and of two larger bundles; and 495,104
    /// purchases of coins with their credits, in sixteen wallets.
    case mostlyCoins
    /// Purchases of a million products, and nothing else: the same of the shop, and others that it does not have any
    /// more.
    case onlyProducts

    static let entryCount = 1_000_000
    static let lastDate = Date(timeIntervalSince1970: 1_790_000_000)

    var description: String {
        switch self {
        case .mostlyCoins:
            "9,792 purchases of different products (892 of them bundles) and 495,104 of coins with their credits"
        case .onlyProducts: "1,000,000 purchases of different products, 9,792 of them in the catalog"
        }
    }

    /// What was bought, as level and position. The guides from number 8,900 on, and the bundles around these, are not.
    static let bought: [(level: Int, position: Int)] =
        (0..<8_900).map { (0, $0) } + (0..<890).map { (1, $0) } + [(2, 0), (3, 1)]

    static let signedData = String(repeating: "eyJhbGciOiJFUzI1NiIsIng1YyI6", count: 21)

    func write(to file: URL) async throws {
        let ledger = try SQLiteLedger(url: file)
        var batch: [Fact] = []
        var count = 0
        func flush(at size: Int) async throws {
            guard batch.count >= size else { return }
            count += try await ledger.append(batch, at: Self.lastDate).count
            batch.removeAll()
        }
        let others = Self.entryCount - Self.bought.count
        let first = Self.bought.count
        for index in 0..<first {
            batch.append(Self.purchase(index))
            try await flush(at: 5_000)
        }
        switch self {
        case .mostlyCoins:
            for index in 0..<others / 2 {
                batch += Fact.coins(
                    Self.key(first + index), of: "com.example.shop.coins", amount: 50, wallet: "wallet \(index % 16)",
                    at: Self.date(first + index), signedData: Self.signedData)
                try await flush(at: 5_000)
            }
        case .onlyProducts:
            for index in first..<Self.entryCount {
                batch.append(
                    .product(
                        Self.key(index), of: "com.example.shop.former.item\(index)", at: Self.date(index),
                        signedData: Self.signedData))
                try await flush(at: 5_000)
            }
        }
        try await flush(at: 1)
        precondition(count == Self.entryCount)
    }

    static func key(_ index: Int) -> String { "20000\(10_000_000_000 + index)" }

    private static func date(_ index: Int) -> Date { lastDate - Double(entryCount - index) * 10 }

    private static func purchase(_ index: Int) -> Fact {
        let (level, position) = bought[index]
        return .product(
            key(index), of: Shop.identifier(level, position), at: date(index), signedData: signedData,
            contents: Shop.contents(level, position))
    }
}
