import Vitrine
import VitrinePurchasing

extension AsyncStream<CatalogEvent> {
    /// Returns the result of the next purchase.
    func nextAnswer() async -> PurchaseAnswer? {
        for await event in self { if case .purchase(.answered(_, let answer)) = event { return answer } }
        return nil
    }

    /// Returns all events until the stream ends.
    func all() async -> [CatalogEvent] {
        var events: [CatalogEvent] = []
        for await event in self { events.append(event) }
        return events
    }

    /// Waits for an event that meets a condition.
    func next(_ isMeant: (CatalogEvent) -> Bool) async {
        for await event in self where isMeant(event) { return }
    }
}
