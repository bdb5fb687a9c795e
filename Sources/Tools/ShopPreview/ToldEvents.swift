internal import Vitrine
internal import VitrineEntitlements
internal import VitrineHostedContent
internal import VitrinePurchasing

/// Texts of the events that an app was told.
enum ToldEvents {
    /// Number of events that a step of the timeline shows.
    private static let mostEvents = 100

    /// Returns the texts of events in their order, without those that follow from others or repeat the last one.
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
