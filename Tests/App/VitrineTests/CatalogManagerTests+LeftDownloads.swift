import Foundation
import Testing
import Vitrine
import VitrineHostedContent
import VitrinePurchasing
import VitrineStoreSimulator
import VitrineTestSupport

/// Remains of downloads of earlier launches.
extension CatalogManagerTests {
    enum ProductState: CaseIterable {
        case owned, notOwned
        /// The product is paid for, but its transaction is not delivered yet.
        case notDeliveredYet
        /// Ownership is unknown, because the bundle that may contain the product is missing from the catalog after an
        /// error.
        case unknown
    }

    func leftDownloads() throws -> [String] {
        try ContentDirectory(url: Home(url: folder["home"]).hostedContent).downloads()
    }

    /// Interrupts the download of the guide, so that a part of its content remains.
    private func leaveDownload(unlocking product: String) async throws {
        let manager = try await makeManager(stalled(Recorder()))
        try await manager.unlock(.voyager(product))
        let events = manager.events()
        async let download = try? manager.content.download(for: .voyager("rome"))
        await events.next {
            if case .content(.downloadUpdated(let status)) = $0 { status.progress.received == 5 } else { false }
        }
        await manager.stop()
        #expect(await download == nil)
        #expect(try leftDownloads() == [.voyager("rome")])
    }

    @Test(arguments: ProductState.allCases)
    func `a partial download is deleted only if its product is known to be neither owned nor paid for`(
        state: ProductState
    ) async throws {
        let file = folder["catalog.plist"]
        let text = try String(contentsOf: Repository.sample("Voyager.plist"), encoding: .utf8)
        try folder.write(text, to: "catalog.plist")
        let product = state == .unknown ? "everything" : "rome"
        try await leaveDownload(unlocking: product)
        switch state {
        case .owned: break
        case .notOwned, .notDeliveredYet:
            let manager = try await makeManager(catalog: .file(file), store: voyager.store) { _ in }
            #expect(try await manager.lock(.voyager("rome")))
            await manager.stop()
            if state == .notDeliveredYet { try await voyager.store.purchase(.voyager("rome"), quantity: 1) }
        case .unknown:
            try folder.write(
                text.replacing("everything.png</string>", with: "x</string><key>type</key><integer>1</integer>"),
                to: "catalog.plist")
        }

        let next = try await makeManager(catalog: .file(file), store: voyager.store) {
            $0.content.resumesDownloads = false
            $0.purchases.hooks.verification = { _ in .undetermined("maintenance") }
        }
        #expect(await next.loadProducts() == .productsLoaded)
        #expect(try leftDownloads() == (state == .notOwned ? [] : [.voyager("rome")]))
    }

    @Test(arguments: [true, false])
    func `content whose paused download was removed is downloaded with the next purchase that includes it`(
        isRelaunched: Bool
    )
        async throws
    {
        let first = try await makeManager(stalled(Recorder()))
        let events = first.events()
        async let answer = buy("rome", with: first)
        await events.next {
            if case .content(.downloadUpdated(let status)) = $0 { status.progress.received == 5 } else { false }
        }
        try await first.content.pauseDownload(of: .voyager("rome"))
        #expect(await answer == "pending")
        await first.stop()

        let whole = ShelfContent(packages: Repository.samplePackages)
        var next = try await makeManager(whole)
        #expect(next.content.downloads.map(\.state) == [.paused])
        #expect(try await next.content.remove(for: .voyager("rome")) == .download)
        #expect(try leftDownloads().isEmpty)
        if isRelaunched {
            await next.stop()
            next = try await makeManager(whole)
            #expect(next.content.downloads.allSatisfy { $0.state != .cancelled })
        } else {
            #expect(next.content.downloads.map(\.state) == [.cancelled])
        }
        #expect(await buy("everything", with: next) == "charged")
        await next.purchases.deliverUnfinished()
        #expect(try next.content.listings().first { $0.id == .voyager("rome") }?.state == .installed)
        #expect(try await voyager.store.unfinishedTransactions().isEmpty)
    }
}
