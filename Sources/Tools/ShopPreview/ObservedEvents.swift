internal import Vitrine

/// Descriptions of the events that an app received.
enum ObservedEvents {
    /// Maximum number of events in a step of the timeline.
    private static let mostEvents = 100

    /// Returns descriptions of events in their order. Repeated events, and events that only follow from another event,
    /// are omitted.
    static func texts(_ events: [CatalogEvent]) -> [String] {
        var (texts, downloads): ([String], [String: DownloadState]) = ([], [:])
        for event in events where !event.followsFromAnother {
            if case .content(.downloadUpdated(let status)) = event {
                guard downloads.updateValue(status.state, forKey: status.id) != status.state else { continue }
            }
            let text = event.text.asText
            if text != texts.last { texts.append(text) }
        }
        guard texts.count > mostEvents else { return texts }
        return texts.prefix(mostEvents) + ["… and \(texts.count - mostEvents) more events"]
    }
}
