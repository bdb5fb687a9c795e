internal import Vitrine
internal import VitrineEntitlements
internal import VitrineHostedContent
internal import VitrinePurchasing

/// Descriptions of the events that an app received.
enum ToldEvents {
    /// Maximum number of events in a step of the timeline.
    private static let mostEvents = 100

    /// Returns descriptions of events in their order. Repeated events, and events that only follow from another event,
    /// are omitted.
    static func words(_ events: [CatalogEvent]) -> [String] {
        var (words, downloads): ([String], [String: DownloadState]) = ([], [:])
        for event in events where !event.followsFromAnother {
            if case .content(.downloadUpdated(let status)) = event {
                guard downloads.updateValue(status.state, forKey: status.id) != status.state else { continue }
            }
            let text = event.words.asText
            if text != words.last { words.append(text) }
        }
        guard words.count > mostEvents else { return words }
        return words.prefix(mostEvents) + ["… and \(words.count - mostEvents) more events"]
    }
}
