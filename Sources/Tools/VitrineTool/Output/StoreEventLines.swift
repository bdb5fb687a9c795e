import Foundation
import VitrineCatalog
import VitrineCommandSupport
import VitrineStoreSimulator
import VitrineSupport

extension StoreEvent {
    /// JSON object of the event.
    var document: JSONObject {
        [
            "date": date, "kind": kind.rawValue, "customer": customer, "product": productIdentifier,
            "transaction": transaction, "detail": detail,
        ]
    }

    /// Returns a table with one row for each event, in their order.
    static func table(of events: [StoreEvent]) -> Table {
        var table = Table(headings: ["DATE", "EVENT", "CUSTOMER", "PRODUCT", "TRANSACTION", "DETAIL"])
        table.rows = events.map { event in
            [
                event.date.second, event.kind.rawValue, event.customer ?? "-", event.productIdentifier ?? "-",
                event.transaction ?? "-", event.detail ?? "",
            ]
        }
        return table
    }
}
