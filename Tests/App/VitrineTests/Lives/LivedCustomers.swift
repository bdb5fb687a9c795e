import Foundation
import Testing
import Vitrine
import VitrineCatalog
import VitrineEntitlements
import VitrinePurchasing
import VitrineReceipts
import VitrineStoreSimulator
import VitrineTestSupport

/// App on the devices of the customers of a ``CustomerLife``, with a store in memory.
struct LivedCustomers {
    private let accounts: CustomerLife.Accounts
    private let folder: TemporaryFolder
    private let store: SimulatedStore
    /// Phone of each customer: the same device, with the account of the customer.
    private let phones: [String: SimulatedStore]
    private var account = "Anna"
    private var installations = 1
    private var spendings = 0
    private var managers: [String: CatalogManager] = [:]

    init(_ life: CustomerLife) async throws {
        accounts = life.accounts
        folder = try TemporaryFolder()
        store = try SimulatedStore.inMemory(
            configuration: try Self.configuration.get(), bundleIdentifier: "com.example.club", seed: 0)
        try await store.useVirtualClock(at: life.start)
        phones = [
            "Anna": try store.device("phone", of: "Anna"), "Ben": try store.device("phone", of: "Ben"),
        ]
        await (try await launch("phone")).loadProducts()
    }

    /// Performs a step, after which the app on each device asks the store.
    ///
    /// - Returns: `false` for an order that is not charged, a code that is refused, and units that the wallet lacks.
    mutating func perform(_ step: CustomerLife.Step) async throws -> Bool {
        try await store.advance(by: 3_600)
        let isDone = try await change(by: step)
        for manager in managers.values { await manager.loadProducts() }
        return isDone
    }

    /// Returns the owned products and the balance on a device.
    func holdings(on device: String) -> (owned: Set<String>, balance: WalletBalance)? {
        managers[device].map { (Set($0.ownedProducts), $0.wallets.balance(for: "coins")) }
    }

    func stop() async { for manager in managers.values { await manager.stop() } }

    private mutating func change(by step: CustomerLife.Step) async throws -> Bool {
        switch step {
        case .buy(let product, let quantity, let device, let asks):
            if asks { try await store.setAsksToBuy(true) }
            let answer = try await manager(device).purchase(product, quantity: quantity)
            if asks { try await store.setAsksToBuy(false) }
            if case .success(_, notChargedAgain: false) = answer { return true }
            return false
        case .decide(let product, let customer, let isApproved):
            let phone = try phone(of: customer)
            let pending = try await phone.pendingPurchases().first { $0.productIdentifier == product }
            let id = try #require(pending?.id)
            _ = isApproved ? try await phone.approve(id) : try await phone.decline(id)
        case .redeem(let product, let customer):
            do {
                try await phone(of: customer).redeem(product == "club.silver" ? "summer" : "gift", of: product)
            } catch let error as StoreError where error.code == .invalidOffer {
                return false
            }
        case .refund(let product, let customer, let number):
            try await phone(of: customer).refund(transaction(product, of: customer, number))
        case .reverse(let product, let customer, let number):
            try await phone(of: customer).reverseRefund(transaction(product, of: customer, number))
        case .spend(let units):
            spendings += 1
            do {
                try await manager("phone").wallets.spend(units, from: "coins", token: "\(spendings)")
            } catch let error as LedgerError where error.code == .insufficientFunds {
                return false
            }
        case .setRenewal(let isOn, let customer): try await phone(of: customer).setRenewal(isOn, of: "club.silver")
        case .join(let customer): try await phone(of: customer).joinFamily("family")
        case .leave(let customer): try await phone(of: customer).leaveFamily()
        case .signIn(let customer):
            account = customer
            let manager = try await launch("phone")
            // The app does not ask for the account: the customer lets it restore what they have bought.
            if accounts == .keptTogether {
                await manager.loadProducts()
                _ = try await manager.restore()
            }
        case .relaunch(let device): try await launch(device)
        case .reinstall:
            installations += 1
            try await launch("phone")
        case .addTablet: try await launch("tablet")
        case .advance(let days): try await store.advance(by: Double(days) * 86_400)
        }
        return true
    }

    // MARK: Devices

    private func manager(_ device: String) throws -> CatalogManager { try #require(managers[device]) }

    private func phone(of customer: String) throws -> SimulatedStore { try #require(phones[customer]) }

    private func transaction(_ product: String, of customer: String, _ number: Int) async throws -> String {
        let own = try await phone(of: customer).transactions()
            .filter { $0.productIdentifier == product && $0.ownershipType == .purchased }
        return try #require(own.sorted { $0.purchaseDate < $1.purchaseDate }.dropFirst(number).first).id
    }

    /// Launches the app on a device, where it may be running.
    @discardableResult
    private mutating func launch(_ device: String) async throws -> CatalogManager {
        await managers[device]?.stop()
        let isTablet = device == "tablet"
        let present = isTablet ? try store.device("tablet", of: "Anna") : try phone(of: account)
        let clock = store.clock
        let manager = try await CatalogManager(
            catalog: .catalog(Self.catalog), store: present.launched,
            verifier: SignedDataVerifier(
                roots: try TrustedRoots(pem: store.rootCertificate), bundleIdentifier: store.bundleIdentifier,
                environment: .sandbox, now: { clock.now }),
            home: Home(url: folder[isTablet ? "tablet" : "phone\(installations)"]),
            options: ManagerOptions(choosing: {
                $0.loading.schedule = .never
                $0.purchases.accounts = accounts == .separate ? .separate : .keepAll
                $0.clock = ManagerOptions.Clock(now: { clock.now }, sleepUntil: { try await clock.sleep(until: $0) })
            }))
        managers[device] = manager
        return manager
    }

    // MARK: Products

    private static let catalog = Catalog(products: [
        CatalogProduct(identifier: "coins", kind: .consumable, storageKey: "coins", productValue: 10),
        CatalogProduct(identifier: "map", kind: .nonConsumable),
        CatalogProduct(identifier: "plan", kind: .nonConsumable),
        CatalogProduct(identifier: "atlas", kind: .nonConsumable, childProducts: ["map", "plan"]),
        CatalogProduct(
            identifier: "pass", kind: .nonRenewingSubscription, childProducts: ["plan"],
            subscriptionDuration: SubscriptionDuration("P30D")),
        CatalogProduct(
            identifier: "club.silver", kind: .autoRenewableSubscription, storageKey: "coins", productValue: 100,
            childProducts: ["map"]),
    ])

    /// `Club.storekit` with two more products, of which the family shares one, and with offer codes.
    private static let configuration = Result {
        var text = try String(contentsOf: Repository.file("Catalogs/Club.storekit"), encoding: .utf8)
        for product in ["c", "m", "p"] {
            text = text.replacing(
                #""internalID": "\#(product)","#,
                with: #"""
                    "internalID": "\#(product)", "codeOffers": [{"referenceName": "gift", "paymentMode": "free"}],
                    """#)
        }
        let more = [(name: "atlas", isShared: true), (name: "plan", isShared: false)].map { product in
            """
            {"productID": "\(product.name)", "type": "NonConsumable", "displayPrice": "9.99", \
            "familyShareable": \(product.isShared), "referenceName": "\(product.name)", \
            "internalID": "\(product.name)", "localizations": [\
            {"locale": "en_US", "displayName": "\(product.name)", "description": "\(product.name)"}]},
            """
        }
        return Data(text.replacing(#""products": ["#, with: #""products": ["# + more.joined()).utf8)
    }
}
