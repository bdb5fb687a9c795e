import Vitrine
import VitrinePurchasing

extension AsyncStream<CatalogEvent> {
    /// What the next purchase that is answered came to.
    func nextAnswer() async -> PurchaseAnswer? {
        for await event in self { if case .purchase(.answered(_, let answer)) = event { return answer } }
        return nil
    }

    /// All events, once no more come.
    func all() async -> [CatalogEvent] {
        var events: [CatalogEvent] = []
        for await event in self { events.append(event) }
        return events
    }

    /// Waits for an event.
    func next(_ isMeant: (CatalogEvent) -> Bool) async {
        for await event in self where isMeant(event) { return }
    }
}
