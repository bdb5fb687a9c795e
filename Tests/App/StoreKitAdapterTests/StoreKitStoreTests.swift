import Foundation
import Testing
import VitrineCatalog
import VitrinePurchasing
import VitrineReceipts
import VitrineStoreSimulator
import VitrineSupport
import VitrineTestSupport

@testable import OpenStoreKit
@testable import VitrineStoreKitAdapter

/// Conversion of StoreKit's results by the adapter, beyond the contract of `Store`.
@Suite(.hangLimit) struct StoreKitStoreTests {
    let shop: Shop

    init() async throws { shop = try await Shop() }

    /// Creates the adapter as at a launch of the app, with its connection to the simulated store.
    private func launch(
        quirks: StoreQuirks = [], adapter: StoreKitStore = .patient, listsFinishedConsumables: Bool = false,
        confirmation: @escaping @Sendable (PurchaseDialog) async -> Bool = { _ in true }
    ) throws -> AdaptedStore {
        try AdaptedStore(
            shop.device, quirks: quirks, adapter: adapter, listsFinishedConsumables: listsFinishedConsumables,
            confirmation: confirmation)
    }

    // MARK: Errors

    struct Failure: Sendable, CustomTestStringConvertible {
        let error: any Error & Sendable
        let code: StoreErrorCode
        var isOutcomeKnown = false

        var testDescription: String { "\(error)" }
    }

    static let storeFailures = [
        Failure(error: StoreKitError.unknown, code: .unavailable),
        Failure(error: StoreKitError.networkError(URLError(.timedOut)), code: .network),
        Failure(error: StoreKitError.systemError(URLError(.unknown)), code: .unavailable),
        Failure(error: StoreKitError.notEntitled, code: .unavailable),
        Failure(error: StoreKitError.unsupported, code: .unavailable),
        Failure(error: StoreKitError.invalidPresentationContext, code: .unavailable),
    ]
    static let purchaseFailures =
        storeFailures + [
            Failure(error: StoreKitError.notAvailableInStorefront, code: .productNotAvailable, isOutcomeKnown: true),
            Failure(error: Product.PurchaseError.invalidQuantity, code: .invalidQuantity, isOutcomeKnown: true),
            Failure(error: Product.PurchaseError.productUnavailable, code: .productNotAvailable, isOutcomeKnown: true),
            Failure(error: Product.PurchaseError.purchaseNotAllowed, code: .notAllowed, isOutcomeKnown: true),
            Failure(error: Product.PurchaseError.ineligibleForOffer, code: .invalidOffer, isOutcomeKnown: true),
            Failure(error: Product.PurchaseError.invalidOfferIdentifier, code: .invalidOffer, isOutcomeKnown: true),
            Failure(error: Product.PurchaseError.invalidOfferPrice, code: .invalidOffer, isOutcomeKnown: true),
            Failure(error: Product.PurchaseError.invalidOfferSignature, code: .invalidOffer, isOutcomeKnown: true),
            Failure(error: Product.PurchaseError.missingOfferParameters, code: .invalidOffer, isOutcomeKnown: true),
            Failure(error: MissingWindow(), code: .notSubmitted, isOutcomeKnown: true),
            Failure(error: CancellationError(), code: .unavailable),
            Failure(error: URLError(.badURL), code: .unavailable),
        ]

    @Test(arguments: storeFailures)
    func `a failed request reports its error code, and the next request succeeds`(_ failure: Failure) async throws {
        let store = try launch()
        store.connection.setErrors { errors in
            errors.loadProducts = failure.error as? StoreKitError
            errors.appTransaction = failure.error as? StoreKitError
            errors.appStoreSync = failure.error as? StoreKitError
        }
        let products = await #expect(throws: StoreError.self) { try await store.products(for: ["map"]) }
        let app = await #expect(throws: StoreError.self) { try await store.appTransaction() }
        let restored = await #expect(throws: StoreError.self) { try await store.restore() }
        for error in [products, app, restored] { #expect(error?.code == failure.code) }
        store.connection.setErrors { $0 = SimulatedErrors() }
        #expect(try await store.products(for: ["map"]).count == 1)
        #expect(try await store.appTransaction() != nil)
        #expect(try await store.restore().isEmpty)
    }

    @Test(arguments: purchaseFailures)
    func `a failed purchase reports its error code and whether its outcome is known`(_ failure: Failure) async throws {
        let store = try launch()
        store.connection.setErrors { $0.purchase = failure.error }
        let error = await #expect(throws: StoreError.self) { try await store.purchase("map", quantity: 1) }
        #expect(error?.code == failure.code)
        #expect(error?.isOutcomeKnown == failure.isOutcomeKnown)
        store.connection.setErrors { $0 = SimulatedErrors() }
        #expect(try await store.purchase("map", quantity: 1).transaction != nil)
    }

    @Test func `a canceled purchase is reported as canceled, whether StoreKit returns or throws the cancellation`()
        async throws
    {
        let store = try launch { _ in false }
        #expect(try await store.purchase("map", quantity: 1) == .cancelled)
        let other = try launch()
        other.connection.setErrors { $0.purchase = StoreKitError.userCancelled }
        #expect(try await other.purchase("map", quantity: 1) == .cancelled)
        #expect(try await shop.device.transactions().isEmpty)
    }

    @Test func `texts of StoreKit errors contain no personal data of the customer`() {
        let error = NSError(
            domain: "AMSErrorDomain", code: 7, userInfo: [NSLocalizedDescriptionKey: "Sign in as customer@example.com"])
        for mapped in [StoreError(error), StoreError(StoreKitError.systemError(error))] {
            #expect(!mapped.reason.contains("customer"))
            #expect(mapped.reason.contains("AMSErrorDomain 7"))
        }
    }

    // MARK: Purchases

    @Test func `the app's own purchase function is called on the main actor with all options`() async throws {
        let asked = Recorder<Set<Product.PurchaseOption>>()
        let token = UUID()
        let store = try launch(
            adapter: StoreKitStore { product, options in
                MainActor.assertIsolated()
                asked.record(options)
                return try await product.purchase(options: options)
            })
        _ = try await store.purchase("coins", options: PurchaseOptions(quantity: 2, accountToken: token))
        #expect(asked.values == [[.quantity(2), .appAccountToken(token)]])
    }

    @Test func `a purchase whose product cannot be loaded is reported as not submitted`() async throws {
        let store = try launch()
        store.connection.setErrors { $0.loadProducts = .networkError(URLError(.timedOut)) }
        let error = await #expect(throws: StoreError.self) { try await store.purchase("map", quantity: 1) }
        #expect(error?.code == .notSubmitted)
        #expect(error?.isOutcomeKnown == true)
    }

    @Test func `an offer that the product lacks is refused before the customer is asked`() async throws {
        let asked = Recorder<String>()
        let store = try launch(
            adapter: StoreKitStore { product, options in
                asked.record(product.id)
                return try await product.purchase(options: options)
            })
        let error = await #expect(throws: StoreError.self) {
            try await store.purchase("club.silver", options: PurchaseOptions(winBackOffer: "none"))
        }
        #expect(error?.code == .invalidOffer)
        #expect(asked.values.isEmpty)
    }

    @Test func `a win-back offer for which the customer is eligible can be bought`() async throws {
        let store = try launch()
        let bought = try #require(try await store.purchase("club.silver", quantity: 1).transaction)
        try await store.finish(bought)
        try await shop.device.expire("club.silver")
        let subscription = try #require(try await store.products(for: ["club.silver"])[0].subscription)
        let offer = try #require(subscription.eligibleWinBackOffers.first)
        let back = try #require(
            try await store.purchase("club.silver", options: PurchaseOptions(winBackOffer: offer)).transaction)
        #expect(try await shop.payload(back).offerIdentifier == offer)
    }

    @Test func `a transaction that StoreKit does not verify has a rejection reason until StoreKit verifies it`()
        async throws
    {
        let store = try launch()
        store.connection.setErrors { $0.verification = .invalidSignature }
        let updates = store.updates()
        let bought = try #require(try await store.purchase("map", quantity: 1).transaction)
        #expect(bought.rejection?.code == .signature)
        // The signature itself is right: only StoreKit has said no.
        #expect(try await shop.payload(bought).productIdentifier == "map")
        let elsewhere = try await shop.device.purchaseElsewhere("pass").id
        #expect(try await updates.next { $0.id == elsewhere }.rejection?.code == .signature)
        #expect(try await store.unfinishedTransactions().map { $0.rejection != nil } == [true, true])
        #expect(try await store.knownTransactions().map { $0.rejection != nil } == [true, true])
        let app = await #expect(throws: StoreError.self) { try await store.appTransaction() }
        #expect(app?.code == .unavailable)

        store.connection.setErrors { $0 = SimulatedErrors() }
        #expect(try await store.unfinishedTransactions().allSatisfy { $0.rejection == nil })
        #expect(try await store.unfinishedTransactions().count == 2)
    }

    @Test(
        arguments: [
            (.revokedCertificate, .certificateRevoked), (.invalidCertificateChain, .certificateChain),
            (.invalidDeviceVerification, .device), (.invalidEncoding, .malformed), (.invalidSignature, .signature),
            (.missingRequiredProperties, .payload),
        ] as [(VerificationResult<Transaction>.VerificationError, RejectionCode)])
    func `each StoreKit verification error is mapped to a rejection reason`(
        error: VerificationResult<Transaction>.VerificationError, code: RejectionCode
    ) {
        #expect(RejectionReason(error).code == code)
    }

    @Test func `renewal information that StoreKit does not verify is left out`() async throws {
        let store = try launch()
        _ = try await store.purchase("club.gold", quantity: 1)
        store.connection.setErrors { $0.verification = .invalidSignature }
        #expect(try await store.subscriptionTransactions().map(\.signedRenewal) == [nil])
    }

    // MARK: Listings

    @Test func `a restore whose sign-in the customer cancels returns the transactions known to the device`()
        async throws
    {
        _ = try await shop.buy("map")
        let store = try launch { $0 != .signIn }
        #expect(try await shop.products(store.restore()) == ["map"])
    }

    @Test func `finished consumables are not among the known transactions, even if StoreKit lists them`() async throws {
        let finished = try await shop.buy("coins")
        try await shop.store.finish(finished)
        let unfinished = try await shop.buy("coins")
        let store = try launch(listsFinishedConsumables: true)
        #expect(try await store.restore().isEmpty)
        #expect(try await store.knownTransactions().map(\.id) == [unfinished.id])
    }

    @Test(arguments: [[], .newestFirst, .shuffled] as [StoreQuirks])
    func `unfinished transactions are returned oldest first, regardless of StoreKit's order`(_ quirks: StoreQuirks)
        async throws
    {
        for _ in 1...5 { _ = try await shop.device.purchaseElsewhere("pass") }
        let store = try launch(quirks: quirks)
        let numbers = try await store.unfinishedTransactions().compactMap { Int($0.id) }
        #expect(numbers == numbers.sorted())
        #expect(numbers.count == 5)
    }

    @Test func `the latest period of a renewed subscription is restored, regardless of StoreKit's order`() async throws
    {
        try await shop.store.finish(shop.buy("club.gold"))
        for _ in 1...4 { try await shop.device.renew("club.gold") }
        let latest = try #require(try await shop.device.transactions().last?.id)
        for quirks in [StoreQuirks.shuffled, .newestFirst] {
            #expect(try await launch(quirks: quirks).restore().map(\.id) == [latest])
        }
    }

    @Test func `the list of subscription transactions fails if the status of a subscription cannot be read`()
        async throws
    {
        let store = try launch()
        _ = try await store.purchase("club.gold", quantity: 1)
        store.connection.setErrors { $0.subscriptionStatus = .unknown }
        let error = await #expect(throws: StoreError.self) { try await store.subscriptionTransactions() }
        #expect(error?.code == .unavailable)
    }

    @Test func `a revoked subscription without a status is among the subscription transactions`() async throws {
        let store = try launch(quirks: .hidesStatusErrors)
        let bought = try #require(try await store.purchase("club.gold", quantity: 1).transaction)
        try await shop.device.refund(bought.id)
        store.connection.setErrors { $0.subscriptionStatus = .unknown }
        let listed = try await store.subscriptionTransactions()
        #expect(listed.map(\.id) == [bought.id])
        #expect(try await shop.payload(try #require(listed.first)).revocationDate != nil)
    }

    @Test
    func `after an unknown purchase outcome, unfinished transactions are listed only if the App Store can be reached`()
        async throws
    {
        let store = try launch()
        _ = try await store.products(for: ["coins"])
        store.connection.setErrors { $0.purchase = StoreKitError.networkError(URLError(.networkConnectionLost)) }
        await #expect(throws: StoreError.self) { try await store.purchase("coins", quantity: 1) }
        store.connection.setErrors {
            $0 = SimulatedErrors()
            $0.loadProducts = .networkError(URLError(.notConnectedToInternet))
        }
        let error = await #expect(throws: StoreError.self) { try await store.unfinishedTransactions() }
        #expect(error?.code == .network)
        store.connection.setErrors { $0 = SimulatedErrors() }
        #expect(try await store.unfinishedTransactions().isEmpty)
        store.connection.setErrors { $0.loadProducts = .unknown }
        #expect(try await store.unfinishedTransactions().isEmpty)
    }

    @Test func `a restore requests the app transaction again if StoreKit could not verify it`() async throws {
        let asked = Recorder<PurchaseDialog>()
        let store = try launch { dialog in
            asked.record(dialog)
            return true
        }
        _ = try await store.restore()
        #expect(asked.values == [.signIn])
        store.connection.setErrors { $0.verification = .invalidSignature }
        _ = try await store.restore()
        #expect(asked.values == [.signIn, .signIn, .signIn])
    }

    @Test func `a downgrade in a canceled task returns a transaction with its renewal information`() async throws {
        let store = try launch()
        try await store.finish(try #require(try await store.purchase("club.gold", quantity: 1).transaction))
        let ordered = try await Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await store.purchase("club.silver", quantity: 1).transaction
        }.value
        #expect(try await shop.renewal(try #require(ordered)).autoRenewProductIdentifier == "club.silver")
    }

    @Test func `a downgrade returns the renewal information that names the lower plan, also if StoreKit has it late`()
        async throws
    {
        let store = try launch(
            adapter: StoreKitStore(
                statusLimit: { try? await sleepUntilCancelled(.zero) },
                renewalInfo: { transaction in
                    guard let status = await transaction.subscriptionStatus else { return nil }
                    StoreConnection.current.statuses.send(status)
                    return nil
                }))
        try await store.finish(try #require(try await store.purchase("club.gold", quantity: 1).transaction))
        let ordered = try #require(try await store.purchase("club.silver", quantity: 1).transaction)
        #expect(try await shop.payload(ordered).productIdentifier == "club.gold")
        #expect(try await shop.renewal(ordered).autoRenewProductIdentifier == "club.silver")
    }

    @Test func `a used introductory offer is not offered again, although StoreKit repeats its earlier answer`()
        async throws
    {
        let store = try launch(
            adapter: StoreKitStore(
                statusLimit: { try? await sleepUntilCancelled(.zero) }, isEligible: { _ in true }))
        func eligibility() async throws -> [Bool?] {
            try await store.products(for: ["club.gold", "news"]).sorted { $0.identifier < $1.identifier }
                .map { $0.subscription?.isEligibleForIntroductoryOffer }
        }
        #expect(try await eligibility() == [true, true])
        try await store.finish(try #require(try await store.purchase("club.gold", quantity: 1).transaction))
        try await shop.device.expire("club.gold")
        #expect(try await eligibility() == [false, true])
    }

    @Test func `win-back offers are not eligible if StoreKit does not know the subscription status`() async throws {
        try await shop.store.finish(shop.buy("club.silver"))
        try await shop.device.expire("club.silver")
        let store = try launch()
        store.connection.setErrors { $0.subscriptionStatus = .unknown }
        let terms = try #require(try await store.products(for: ["club.silver"]).first?.subscription)
        #expect(terms.eligibleWinBackOffers.isEmpty)
        #expect(!terms.winBackOffers.isEmpty)
    }

    // MARK: Updates

    @Test func `the end of a subscription, for which StoreKit sends no transaction, is delivered as an update`()
        async throws
    {
        let store = try launch()
        let bought = try #require(try await store.purchase("club.gold", quantity: 1).transaction)
        try await store.finish(bought)
        let updates = store.updates()
        try await shop.device.expire("club.gold")
        let ended = try await updates.next { $0.id == bought.id }
        #expect(try await shop.renewal(ended).expirationIntent != nil)
    }

    @Test func `a subscription whose status StoreKit does not return holds up no other transaction`() async throws {
        let gate = Gate()
        let store = try launch(
            adapter: StoreKitStore(
                statusLimit: { try? await sleepUntilCancelled(.zero) },
                renewalInfo: {
                    await gate.pass()
                    return await StoreKitStore.askForRenewalInfo(of: $0)
                }))
        let updates = store.updates()
        let gold = try await shop.device.purchaseElsewhere("club.gold").id
        let map = try await shop.device.purchaseElsewhere("map").id
        #expect(try await updates.next { !$0.isStatusOnly }.id == map)
        await gate.open()
        #expect(try await updates.next { !$0.isStatusOnly }.id == gold)
    }

    @Test func `a transaction that is unfinished at launch is delivered as an update`() async throws {
        let bought = try await shop.buy("coins")
        let store = try launch()
        let first = try await store.updates().next { _ in true }
        #expect(first.id == bought.id)
    }

    @Test func `streams of the StoreKit adapter end when the reading task is canceled`() async throws {
        let store = try launch()
        let reader = Task { [updates = store.updates(), changes = store.storefrontChanges()] in
            for await _ in updates {}
            for await _ in changes {}
        }
        reader.cancel()
        await reader.value
        let other = Task { [promoted = store.promotedPurchases()] in for await _ in promoted {} }
        other.cancel()
        await other.value
    }

    // MARK: The app

    @Test func `the app receipt is read from the app's receipt file, if the file exists`() async throws {
        let folder = try TemporaryFolder()
        #expect(try await StoreKitStore(receiptFile: folder["receipt"]).appReceipt() == nil)
        #expect(try await StoreKitStore(receiptFile: nil).appReceipt() == nil)
        try folder.write("receipt", to: "receipt")
        #expect(try await StoreKitStore(receiptFile: folder["receipt"]).appReceipt() == Data("receipt".utf8))
        try folder.write(Data(count: 16 << 20 + 1), to: "receipt")
        let error = await #expect(throws: StoreError.self) {
            try await StoreKitStore(receiptFile: folder["receipt"]).appReceipt()
        }
        #expect(error?.code == .storage)
        let refresh = await #expect(throws: StoreError.self) {
            try await StoreKitStore().refreshAppReceipt(ReceiptRequest())
        }
        #expect(refresh?.code == .unavailable)
    }
}
