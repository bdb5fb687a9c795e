import Foundation
import Testing
import Vitrine
import VitrineCatalog
import VitrineEntitlements
import VitrineHostedContent
import VitrinePurchasing
import VitrineStoreSimulator
import VitrineTestSupport

/// Symbols of `VTAProduct.h`.
extension ComingFromVTAInAppPurchasesTests {
    private static let lisbon = String.voyager("lisbon")

    static let products: [ComingFromCase] = declared + owned + shown

    private static let declared: [ComingFromCase] = [
        ComingFromCase("initWithProductDetailDictionary:") { scene in
            let product = CatalogProduct(identifier: lisbon, kind: .nonConsumable)
            let manager = try await scene.makeManager(catalog: .catalog(Catalog(products: [product])))
            await manager.loadProducts()
            #expect(manager.products.map(\.product) == [product])
            #expect(await scene.buy("lisbon", with: manager) == "charged")
        },
        ComingFromCase("productIdentifier") { scene in
            let manager = try await scene.loadedManager()
            #expect(manager.listing.map(\.id) == manager.catalog.current?.products.map(\.identifier))
            #expect(manager.listing.first?.id == lisbon)
        },
        ComingFromCase("consumable") { scene in
            let manager = try await scene.loadedManager()
            #expect(try scene.listing("coins50", of: manager).kind == .consumable)
            #expect(try scene.listing("lisbon", of: manager).kind == .nonConsumable)
        },
        ComingFromCase("storageKey") { scene in
            let manager = try await scene.loadedManager()
            let wallet = try #require(try scene.listing("coins500", of: manager).product.storageKey)
            #expect(await scene.buy("coins500", with: manager) == "charged")
            #expect(wallet == "coins")
            #expect(manager.wallets.balance(for: wallet) == .known(500))
        },
        ComingFromCase("productValue") { scene in
            let manager = try await scene.loadedManager()
            #expect(try scene.listing("coins50", of: manager).product.productValue == 50)
            #expect(try scene.listing("lisbon", of: manager).product.productValue == nil)
        },
        ComingFromCase("productIcon") { scene in
            let file = try scene.folder.write(SampleImage.png.data, to: "app/lisbon.png")
            let manager = try await scene.makeManager { $0.bundledFiles = scene.folder["app"] }
            await manager.loadProducts()
            #expect(try scene.listing("lisbon", of: manager).icon?.standardizedFileURL == file.standardizedFileURL)
            #expect(try scene.listing("porto", of: manager).icon == nil)
        },
        ComingFromCase("productFeaturedImage") { scene in
            let server = try await LoopbackServer(.reply(body: SampleImage.png.data))
            let product = CatalogProduct(
                identifier: lisbon, kind: .nonConsumable, featuredImage: server.url.absoluteString)
            let manager = try await scene.makeManager(catalog: .catalog(Catalog(products: [product])))
            await manager.loadProducts()
            await manager.imagesSettled()
            let image = try #require(try scene.listing("lisbon", of: manager).featuredImage)
            #expect(try Data(contentsOf: image) == SampleImage.png.data)
        },
        ComingFromCase("childProducts") { scene in
            let iberia = try await scene.listing("iberia", of: scene.loadedManager())
            #expect(iberia.product.childProducts == ["lisbon", "porto", "madrid"].map(String.voyager))
            #expect(iberia.bundle?.children.map(\.title) == ["Lisbon Guide", "Porto Guide", "Madrid Guide"])
            #expect(iberia.bundle?.children.first?.displayPrice == "$4.99")
        },
        ComingFromCase("maximumChildPurchasesBeforeHiding") { scene in
            let manager = try await scene.loadedManager()
            #expect(try scene.listing("iberia", of: manager).product.maxChildren == 2)
            #expect(try scene.listing("iberia", of: manager).isOffered)
            for name in ["lisbon", "porto"] { #expect(await scene.buy(name, with: manager) == "charged") }
            #expect(
                try scene.listing("iberia", of: manager).offer
                    == .notOffered(.enoughChildrenOwned(owned: 2, children: 3, limit: 2)))
        },
        ComingFromCase("parentProduct") { scene in
            let guide = try await scene.listing("lisbon", of: scene.loadedManager())
            #expect(Set(guide.bundles) == Set(["iberia", "everything"].map(String.voyager)))
        },
    ]

    private static let owned: [ComingFromCase] = [
        ComingFromCase("localContentURL") { scene in
            let manager = try await scene.loadedManager()
            #expect(throws: OwnedContentError.self) { try manager.content.url(for: .voyager("rome")) }
            #expect(await scene.buy("rome", with: manager) == "charged")
            let guide = try manager.content.url(for: .voyager("rome")).appending(path: "guide.md")
            #expect(try String(contentsOf: guide, encoding: .utf8).hasPrefix("# Rome\n"))
        },
        ComingFromCase("product") { scene in
            let manager = try await scene.loadedManager()
            #expect(manager.catalog.storeProduct(for: lisbon)?.description == "A city guide to Lisbon")
            #expect(manager.catalog.storeProduct(for: .voyager("atlantis")) == nil)
        },
        ComingFromCase("purchaseInProgress") { scene in
            let gate = Gate()
            let manager = try await scene.loadedManager(store: scene.store(sellsBehind: gate))
            #expect(manager.listing(for: lisbon)?.purchase == nil)
            async let word = scene.buy("lisbon", with: manager)
            await gate.arrival()
            #expect(manager.listing(for: lisbon)?.purchase == .inProgress)
            await gate.open()
            #expect(await word == "charged")
            #expect(manager.listing(for: lisbon)?.purchase == nil)
        },
        ComingFromCase("purchased") { scene in
            let manager = try await scene.loadedManager()
            #expect(try scene.listing("lisbon", of: manager).ownership == .notOwned)
            #expect(await scene.buy("lisbon", with: manager) == "charged")
            #expect(try scene.listing("lisbon", of: manager).ownership.isOwned)
            #expect(manager.ownership(of: lisbon).isOwned)
        },
        ComingFromCase("hosted") { scene in
            let manager = try await scene.loadedManager()
            let hosted = manager.listing.filter(\.product.isHosted)
            #expect(hosted.map(\.id) == ["rome", "athens"].map(String.voyager))
        },
        ComingFromCase("progress") { scene in
            let manager = try await scene.makeManager(scene.stalled(Recorder()))
            #expect(try scene.listing("rome", of: manager).content?.fraction == 0)
            let events = manager.events()
            async let word = scene.buy("rome", with: manager)
            await events.next {
                if case .content(.downloadUpdated(let status)) = $0 { status.progress.received == 5 } else { false }
            }
            #expect(try scene.listing("rome", of: manager).content?.fraction == 0.5)
            await manager.stop()
            #expect(await word == "pending")
        },
    ]

    private static let shown: [ComingFromCase] = [
        ComingFromCase("productTitle") { scene in
            let manager = try await scene.loadedManager()
            #expect(try scene.listing("lisbon", of: manager).title == "Lisbon Guide")
            // The store does not sell it: the catalog's.
            #expect(try scene.listing("atlantis", of: manager).title == "Atlantis")
        },
        ComingFromCase("longDescription") { scene in
            let manager = try await scene.makeManager(languages: ["de-AT"])
            await manager.loadProducts()
            #expect(
                try scene.listing("lisbon", of: manager).longDescription
                    == "Sieben Hügel, vierzig Spaziergänge und jede Straßenbahn.")
        },
        ComingFromCase("VTAProductStatusDidChangeNotification") { scene in
            let manager = try await scene.loadedManager()
            let observed = try await scene.observed(by: manager) { try await manager.unlock(lisbon) }
            let changed = observed.events.filter { if case .listingChanged = $0 { true } else { false } }
            #expect(changed.flatMap(\.products).contains(lisbon))
            #expect(changed.flatMap(\.products).contains(.voyager("vienna")) == false)
            #expect(
                observed.notifications(.vitrineListingDidChange).map(\.products)
                    == changed.map { $0.products.map(\.name) })
        },
    ]
}
