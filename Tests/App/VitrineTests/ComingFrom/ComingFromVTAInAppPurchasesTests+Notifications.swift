import Foundation
import Testing
import Vitrine
import VitrineCatalog
import VitrineCatalogLoading
import VitrinePropertyList
import VitrinePurchasing
import VitrineReceipts
import VitrineStoreSimulator
import VitrineTestSupport

/// Notifications of `VTAInAppPurchases.h`, and the errors that they contain.
extension ComingFromVTAInAppPurchasesTests {
    private static let lisbon = String.voyager("lisbon")

    static let notifications: [ComingFromCase] = [
        ComingFromCase("VTAInAppPurchasesProductListDidUpdateNotification") { scene in
            let manager = try await scene.makeManager()
            let observed = try await scene.observed(by: manager) { await manager.loadProducts() }
            let lists = observed.events.compactMap {
                if case .loading(.catalogUpdated(let catalog)) = $0 { catalog } else { nil }
            }
            #expect(lists.map(\.products.count) == [12])
            #expect(observed.notifications(.vitrineListDidUpdate).count == 1)
        },
        ComingFromCase("VTAInAppPurchasesProductsDidFinishUpdatingNotification") { scene in
            try await scene.store.fail(.products, times: 1)
            let manager = try await scene.makeManager()
            let observed = try await scene.observed(by: manager) {
                await manager.loadProducts()
                await manager.loadProducts()
            }
            #expect(observed.events.storeSnapshots == ["failed: unavailable", "unknown: atlantis"])
            #expect(observed.notifications(.vitrineProductsDidUpdate).map { $0.error.isEmpty } == [false, true])
            let without = try await scene.makeManager(catalog: .file(scene.folder["none.plist"]))
            let failed = try await scene.observed(by: without) { await without.loadProducts() }
            let errors = failed.notifications(.vitrineProductsDidUpdate).map(\.error)
            #expect(errors.count == 1 && errors.first?.isEmpty == false)
            #expect(failed.notifications(.vitrineListDidUpdate).map(\.error) == errors)
        },
        ComingFromCase("VTAInAppPurchasesPurchasesDidCompleteNotification") { scene in
            let manager = try await scene.loadedManager()
            let observed = try await scene.observed(by: manager) { _ = await scene.buy("lisbon", with: manager) }
            #expect(observed.events.answers == ["charged"])
            #expect(observed.notifications(.vitrinePurchaseDidComplete).map(\.products) == [["lisbon"]])
            let other = try await scene.loadedManager()
            let approved = try await scene.observed(by: other) {
                try await scene.store.setAsksToBuy(true)
                #expect(await scene.buy("madrid", with: other) == "pending")
                let events = other.events()
                try await scene.store.approve(try #require(try await scene.store.pendingPurchases().first).id)
                await events.next { $0.word == "completed" }
            }
            #expect(approved.notifications(.vitrinePurchaseDidComplete).map(\.products) == [["madrid"], ["madrid"]])
        },
        ComingFromCase("VTAInAppPurchasesRestoreDidCompleteNotification") { scene in
            try await scene.buyElsewhere("lisbon")
            let manager = try await scene.loadedManager(store: scene.voyager.unlisted)
            let observed = try await scene.observed(by: manager) { _ = try await manager.restore() }
            #expect(observed.events.restores.map(\.restored) == [[lisbon]])
            #expect(observed.notifications(.vitrineRestoreDidComplete).map(\.products) == [["lisbon"]])
            try await scene.store.fail(.restore)
            let failing = try await scene.loadedManager()
            let failed = try await scene.observed(by: failing) { _ = try? await failing.restore() }
            #expect(failed.events.restoreFailures == [.unavailable])
            #expect(failed.notifications(.vitrineRestoreDidComplete).count == 1)
        },
        ComingFromCase("VTAInAppPurchasesProductDownloadStatusDidChangeNotification") { scene in
            let manager = try await scene.loadedManager()
            let observed = try await scene.observed(by: manager) { _ = await scene.buy("rome", with: manager) }
            #expect(observed.events.downloads.map(\.state).last == .finished)
            #expect(observed.notifications(.vitrineContentDidChange).last?.products == ["rome"])
        },
        ComingFromCase("VTAInAppPurchasesReceiptDidValidateNotification") { scene in
            let observed = try await observedReceipt(in: scene, isOnDevice: true)
            let receipts = observed.events.compactMap { event -> SignedAppReceipt? in
                if case .receipt(.validated(let signed)) = event { signed } else { nil }
            }
            #expect(receipts.map(\.receipt.purchases.count) == [1])
            #expect(observed.notifications(.vitrineReceiptDidValidate).count == 1)
            #expect(observed.notifications(.vitrineReceiptValidationDidFail).isEmpty)
        },
        ComingFromCase("VTAInAppPurchasesReceiptValidationDidFailNotification") { scene in
            let observed = try await observedReceipt(in: scene, isOnDevice: false)
            let failures = observed.events.compactMap { event -> ReceiptFailure? in
                if case .receipt(.validationFailed(let failure)) = event { failure } else { nil }
            }
            #expect(failures == [.missing])
            let heard = observed.notifications(.vitrineReceiptValidationDidFail)
            #expect(heard.map(\.error) == ["there is no receipt on this device"])
            #expect(observed.notifications(.vitrineReceiptDidValidate).isEmpty)
        },
        ComingFromCase("VTAInAppPurchasesProductsAffectedUserInfoKey") { scene in
            let manager = try await scene.loadedManager()
            let observed = try await scene.observed(by: manager) { try await manager.unlock(.voyager("iberia")) }
            let affected = observed.events.filter {
                if case .entitlements(.ownershipChanged) = $0 { true } else { false }
            }
            let names = ["lisbon", "porto", "madrid", "iberia"]
            #expect(affected.map(\.products) == [names.map(String.voyager)])
            #expect(observed.notifications(.vitrineOwnershipDidChange).map(\.products) == [names])
        },
        ComingFromCase("VTAInAppPurchasesNotificationErrorUserInfoKey") { scene in
            let manager = try await scene.loadedManager()
            try await scene.store.fail(.notAvailable)
            let observed = try await scene.observed(by: manager) { _ = await scene.buy("lisbon", with: manager) }
            let errors = observed.events.compactMap { $0.error as? PurchaseFailure }
            #expect(errors.map(\.code) == [.notAvailable])
            #expect(observed.notifications(.vitrinePurchaseDidComplete).map(\.error) == errors.map(\.reason))
        },
    ]

    static let errors: [ComingFromCase] = [
        ComingFromCase("VTAInAppPurchasesErrorCodePlistFileInvalid") { scene in
            let guide = "<key>productIdentifier</key><string>\(lisbon)</string><key>consumable</key><false/>"
            let (good, bad) = ("<dict>\(guide)</dict>\n", "<dict/>\n")
            let server = try await LoopbackServer(.reply(body: Data(plist(good + bad).utf8)))
            let sources: [(CatalogSource, CatalogError.Code)] = [
                (.file(try scene.folder.write("<plist>", to: "torn.plist")), .notAPropertyList),
                (.file(try scene.folder.write(plist(bad), to: "bad.plist")), .noUsableProduct),
                (.remote(scene.remote(server)), .hasErrors),
            ]
            for (source, code) in sources {
                let manager = try await scene.makeManager(catalog: source)
                let events = try await scene.events(of: manager) { await manager.loadProducts() }
                let failures = events.compactMap {
                    if case .loading(.catalogFailed(let error)) = $0 { error } else { nil }
                }
                let error = try #require(failures.first)
                #expect(error.code == code)
                #expect((error.position ?? error.diagnostics.first?.position)?.line != nil)
            }
        },
        ComingFromCase("VTAInAppPurchasesErrorCodeCannotMakePayments") { scene in
            try await scene.store.setPaymentRestriction("a profile forbids it")
            let manager = try await scene.loadedManager()
            let offer = try scene.listing("lisbon", of: manager).offer
            #expect(offer == .notOffered(.purchasesNotAllowed("a profile forbids it")))
            #expect(await scene.buy("lisbon", with: manager) == "\(PurchaseFailure.Code.notAllowed)")
        },
        ComingFromCase("VTAInAppPurchasesErrorCodeCacheWriteFailure") { scene in
            try scene.folder.write("no folder", to: "home/Cache")
            let server = try await scene.server()
            let manager = try await scene.makeManager(catalog: .remote(scene.remote(server)))
            let events = try await scene.events(of: manager) { await manager.loadProducts() }
            #expect(events.contains { if case .loading(.cacheFailed) = $0 { true } else { false } })
            #expect(manager.products.count == 10)
        },
    ]

    private static func observedReceipt(
        in scene: ComingFromScene, isOnDevice: Bool
    ) async throws -> ComingFromScene.Observed {
        let (store, verifier) = try scene.receipts(of: ["lisbon"], isOnDevice: isOnDevice)
        let manager = try await scene.makeManager(store: store) {
            $0.purchases.receipts = ReceiptOptions(verifier: verifier)
        }
        return try await scene.observed(by: manager) { await manager.loadProducts() }
    }

    private static func plist(_ products: String) -> String { PlistText.document("<array>\n\(products)</array>") }
}
