import Foundation
import Testing
import Vitrine
import VitrineNetworking
import VitrinePurchasing
import VitrineReceipts
import VitrineTestSupport

/// Symbols of `VTAInAppPurchasesReceiptValidation.h`.
extension ComingFromVTAInAppPurchasesTests {
    static let receipts: [ComingFromCase] = [
        ComingFromCase("validateReceipt") { _ in
            let data = try ComingFromScene.receipt(of: ["lisbon"])
            #expect(try await ComingFromScene.receiptVerifier().verify(receipt: data).value?.data == data)
            #expect(try await ComingFromScene.receiptVerifier().verify(receipt: data.dropLast()).codes == [.malformed])
        },
        ComingFromCase("appIdentifier") { _ in
            let data = try ComingFromScene.receipt(of: [])
            let verified = try await ComingFromScene.receiptVerifier().verify(receipt: data).value
            #expect(verified?.receipt.bundleIdentifier == VoyagerStore.bundleIdentifier)
            let other = try ComingFromScene.receiptVerifier(bundle: "com.example.other")
            #expect(await other.verify(receipt: data).codes == [.bundleIdentifier])
        },
        ComingFromCase("arrayOfPurchasedIAPs") { _ in
            let data = try ComingFromScene.receipt(of: ["lisbon", "porto"])
            let verified = try await ComingFromScene.receiptVerifier().verify(receipt: data).value
            #expect(verified?.receipt.purchases.map(\.productIdentifier.name).sorted() == ["lisbon", "porto"])
        },
        ComingFromCase("valid") { _ in
            let (data, server) = (try ComingFromScene.receipt(of: []), try await LoopbackServer(.reply(503)))
            let verifier = try ComingFromScene.receiptVerifier()
            #expect(await verifier.verify(receipt: data).value != nil)
            #expect(await verifier.verify(receipt: Data("receipt".utf8)).codes == [.malformed])
            let asking = verifier.confirmed(
                by: ServerVerifier(
                    url: server.url, bundleIdentifier: VoyagerStore.bundleIdentifier,
                    transport: DefaultTransport.patient))
            #expect(await asking.verify(receipt: data).reason == "the server answered with the status 503")
        },
        ComingFromCase("originalPurchasedVersion") { scene in
            let (store, verifier) = try scene.receipts(of: [], original: "150")
            let data = try #require(try await store.appReceipt())
            #expect(await verifier.verify(receipt: data).value?.receipt.originalApplicationVersion == "150")
            let manager = try await scene.makeManager(store: store) {
                $0.purchases.receipts = ReceiptOptions(verifier: verifier)
            }
            await manager.loadProducts()
            #expect(manager.purchases.originalPurchasedVersion == "150")
        },
    ]
}
