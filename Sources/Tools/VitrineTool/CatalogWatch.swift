import Foundation
import Vitrine
import VitrineCatalog
import VitrineCommandSupport
import VitrineEntitlements
import VitrinePurchasing
import VitrineSupport

/// Command that loads the products and prints each change until it is interrupted.
struct CatalogWatch {
    let open: OpenHome

    func report() async throws -> Report {
        let manager = open.manager
        let events = manager.events()
        let interruption = Interruption.listen()
        try await withThrowingTaskGroup { group in
            group.addTask { try await send(events) }
            group.addTask { for await _ in interruption {} }
            async let _ = manager.loadProducts()
            // When the first task ends, by an interruption or a failed write, the other one is cancelled.
            defer { group.cancelAll() }
            try await group.next()
            await open.close()
        }
        return Report(lines: [], json: [:])
    }

    private func send(_ events: AsyncStream<CatalogEvent>) async throws {
        var table = Redrawing()
        var notes: [String] = []
        let isTerminal = Console.isScreen(STDOUT_FILENO)
        for await event in events {
            event.passFindings(of: open)
            let lines = event.loadingLines(open.manager)
            let remark = event.remark.map { "warning: \($0)" }
            if !isTerminal {
                if let remark { Console.say(remark) }
                try Console.write(lines.map(\.withoutControlCharacters))
                continue
            }
            if case .loading(.statusChanged(let status)) = event {
                if status == .productsLoading { notes = [] }
            } else {
                notes += lines + [remark].compactMap(\.self)
            }
            if !lines.isEmpty || remark != nil { try table.draw(products: products, below: [status] + notes.suffix(3)) }
        }
    }

    private var products: [String] {
        var products = Table(headings: ["PRODUCT", "TITLE", "PRICE", "OFFER"])
        products.rows = open.manager.listing.map { listing in
            let offer: String =
                if case .notOffered(let reason) = listing.offer { reason.description } else { "offered" }
            return [listing.id, listing.title, listing.displayPrice ?? "-", offer]
        }
        // A row is one line, so that the number of rows on the screen is known.
        return products.lines(columns: nil)
    }

    private var status: String {
        let manager = open.manager
        let loaded = manager.catalog.loaded
        return [
            "\(manager.status.rawValue) \(manager.status.description)",
            loaded.map {
                "catalog \(open.catalogPath)" + ($0.checkedDate.map { ", checked \($0.second)" } ?? "")
            },
        ].compactMap(\.self).joined(separator: ": ")
    }
}
