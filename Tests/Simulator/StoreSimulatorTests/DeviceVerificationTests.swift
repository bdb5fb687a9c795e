import Foundation
import Testing
import VitrineCatalog
import VitrinePurchasing
import VitrineReceipts
import VitrineStoreSimulator
import VitrineTestSupport

/// Binding of signed data to the device for which the simulated store has signed it.
@Suite(.hangLimit) struct DeviceVerificationTests {
    private static func store(_ environment: StoreEnvironment) throws -> SimulatedStore {
        try SimulatedStore.inMemory(
            configuration: Data(contentsOf: Repository.sample("Voyager.storekit")),
            bundleIdentifier: VoyagerStore.bundleIdentifier, environment: environment,
            appIdentifier: environment == .production ? 1 : nil, seed: 7)
    }

    @Test(arguments: [StoreEnvironment.sandbox, .production, .xcode])
    func `signed data on a device is bound to this device alone, in every environment`(_ environment: StoreEnvironment)
        async throws
    {
        let phone = try Self.store(environment)
        try await phone.setOriginalPurchase(OriginalPurchase(version: "9", date: .sample, platform: .iOS))
        let tablet = try phone.device("tablet")
        let identifiers = try [phone, tablet].map { try #require($0.deviceVerificationID) }
        #expect(Set(identifiers).count == 2)
        var updates = tablet.updates().makeAsyncIterator()

        let bought = try #require(
            try await phone.purchase(.voyager("lisbon"), options: PurchaseOptions()).transaction)
        let update = try #require(await updates.next())
        for (index, device) in [phone, tablet].enumerated() {
            let other = identifiers[1 - index]
            let known = try await device.knownTransactions()
            for transaction in known + [index == 0 ? bought : update] {
                let payload = try #require(TransactionPayload(unverified: transaction.signedData))
                #expect(payload.isBound(to: identifiers[index]))
                #expect(!payload.isBound(to: other))
            }
            let signed = try #require(try await device.appTransaction())
            let payload = try #require(UnverifiedJWS(signed)?.decode(AppTransactionPayload.self))
            #expect(payload.isBound(to: identifiers[index]))
            #expect(!payload.isBound(to: other))
        }
    }
}
