import Foundation
import Logging
import Testing
import VitrinePurchasing
import VitrineTestSupport

@testable import Vitrine

#if canImport(Combine)
    import Combine
#else
    import OpenCombine
#endif

/// Listener that uses every style at once, and records the reports of each style in each chapter of a story.
@MainActor
final class StoryListener {
    private struct Chapter {
        let name: String
        /// Changed properties of the model.
        let model: Set<String>
        /// Reports of the styles that do not receive events, and the values that are known afterwards.
        let summary: [(style: String, words: String)]
    }

    /// Names of the events, notifications and properties that were reported in a chapter, as an app knows them.
    struct Names: Equatable {
        var events: Set<String>
        var notifications: Set<String>
        var model: Set<String>
    }

    /// Names by chapter, set by ``table()``.
    private(set) var names: [String: Names] = [:]
    private let call = CallListener()
    private let style: CallStyle
    private var hasCalled = false
    private let manager: CatalogManager
    private let lines: Recorder<RecordingLog.Line>
    private let stream: AsyncStream<CatalogEvent>
    private let (published, publishedEnd) = (Recorder<String>(), AsyncStream<Void>.makeStream())
    private let subscription: AnyCancellable
    private let posted = Recorder<(word: String, name: String)>()
    private let center = NotificationCenter()
    private let posting: Task<Void, Never>
    private let model: CatalogModel
    private let errors: ModelErrors
    private var chapters: [Chapter] = []

    /// Creates the listener.
    ///
    /// - Parameter lines: Recorded lines of the manager's logger.
    init(_ manager: CatalogManager, _ lines: Recorder<RecordingLog.Line>, _ style: CallStyle) {
        (self.manager, self.lines, self.style) = (manager, lines, style)
        stream = manager.events()
        let (published, publishedEnd, posted) = (published, publishedEnd, posted)
        subscription = manager.eventPublisher.sink { @Sendable _ in
            publishedEnd.continuation.finish()
        } receiveValue: { @Sendable event in
            published.record(event.word)
        }
        _ = center.addObserver(forName: nil, object: manager, queue: nil) { notification in
            guard let event = notification[.event] else { return }
            posted.record((event.word, notification.name.rawValue.replacing("Vitrine", with: "")))
        }
        posting = manager.postNotifications(to: center)
        model = CatalogModel(manager)
        errors = ModelErrors(model)
    }

    /// Performs a chapter of the story.
    ///
    /// - Parameter body: Function that returns after all of its effects were reported.
    func chapter(_ name: String, _ body: () async throws -> Void) async throws {
        let heardBefore = call.names.count
        hasCalled = false
        let changes = model.firstChanges()
        try await body()
        // All styles hear of an error, and none comes like this one otherwise.
        let end = StoreError(code: .unavailable, reason: "the end of \(name)")
        manager.state.send(.loading(.unfinishedTransactionsFailed(end)))
        let errors = await errors.before(end.reason).joined(separator: ", ")
        #expect(model.status == manager.status)
        #expect(model.listing == manager.listing)
        #expect(model.downloads == manager.content.downloads)
        let parts = changes.values.filter { $0 != "lastError" }.sorted()
        chapters.append(
            Chapter(
                name: name, model: Set(parts + (errors.isEmpty ? [] : ["lastError"])),
                summary: [
                    ("model", (parts + (errors.isEmpty ? [] : ["lastError: \(errors)"])).joined(separator: ", ")),
                    ("call", calls(call.names[heardBefore...])),
                    ("look-ups", lookUps),
                ]))
    }

    private func calls(_ words: ArraySlice<String>) -> String {
        hasCalled || !words.isEmpty ? words.joined(separator: ", ") : "there is none"
    }

    private var lookUps: String {
        let lisbon = String.voyager("lisbon")
        let failure = manager.catalog.lastRequestError.map { failure in
            switch failure {
            case .catalog(let error): "no catalog: \(error.code)"
            case .products(let error): "no products: \(error.code)"
            case .purchases(let error): "no purchases: \(error.code)"
            }
        }
        let owned = manager.ownedProducts.map(\.name)
        let words = [
            manager.catalog.requestStatus.rawValue, failure, manager.catalog.title(for: lisbon),
            manager.catalog.displayPrice(for: lisbon),
            manager.listing(for: lisbon)?.isOffered == true ? "offered" : nil,
            owned.isEmpty ? "nothing owned" : "owned: \(owned.joined(separator: " "))",
        ]
        return words.compactMap(\.self).joined(separator: ", ")
    }

    // MARK: Calls

    func fetch(_ products: [String]) async {
        let (identifiers, call) = (products.map(String.voyager), call)
        switch style {
        case .closures:
            manager.catalog.fetchProducts(identifiers, cachesResult: false) {
                call.productsFetched($0.products, invalidIdentifiers: $0.invalidIdentifiers)
            } onFailure: {
                call.productsFetchFailed($0)
            }
        case .delegate: manager.catalog.fetchProducts(identifiers, cachesResult: false, delegate: call)
        }
        await answer()
    }

    func buy(_ product: String) async {
        switch style {
        case .closures: manager.purchase(.voyager(product), handlers: call.handlers)
        case .delegate: manager.purchase(.voyager(product), delegate: call)
        }
        await answer()
    }

    func restore() async {
        let call = call
        switch style {
        case .closures:
            manager.restore(onSuccess: { call.restoreSucceeded($0) }, onFailure: { call.restoreFailed($0) })
        case .delegate: manager.restore(delegate: call)
        }
        await answer()
    }

    private func answer() async {
        hasCalled = true
        _ = await call.next()
    }

    // MARK: The table

    /// Returns the events in the order in which they were reported, with the report of each style.
    func table() async throws -> String {
        await manager.stop()
        await posting.value
        await model.following?.value
        for await _ in publishedEnd.stream {}
        var events: [CatalogEvent] = []
        for await event in stream { events.append(event) }
        let words = events.map(\.word)
        #expect(published.values == words)
        #expect(posted.values.map(\.word) == words)
        let log = lines.values.withoutDetails
        try #require(log.count == words.count && posted.values.count == words.count)
        let rows = words.indices.map { index in
            let posted = posted.values[index].name
            return (
                word: words[index], text: row(words[index], posted, log[index]), name: events[index].name,
                posted: posted
            )
        }
        let parts = rows.split(omittingEmptySubsequences: false) { $0.word.hasPrefix("unfinished transactions failed") }
        try #require(parts.count == chapters.count + 1 && parts.last?.isEmpty == true)
        for (chapter, part) in zip(chapters, parts) {
            names[chapter.name] = Names(
                events: Set(part.map(\.name)), notifications: Set(part.map { "vitrine\($0.posted)" }),
                model: chapter.model)
            names[chapter.name]?.leaveOutListing()
        }
        return zip(chapters, parts).map { chapter, part in
            let summary = chapter.summary.filter { !$0.words.isEmpty }.map { "  \($0.style) · \($0.words)" }
            return ([chapter.name] + part.map(\.text) + summary).joined(separator: "\n")
        }.joined(separator: "\n\n")
    }

    private func row(_ event: String, _ notification: String, _ line: RecordingLog.Line) -> String {
        // Only what is said in any log is written out.
        let text =
            switch line.level {
            case ...(.debug): "(\(line.level))"
            case .info: line.shortText
            default: "\(line.level): \(line.shortText)"
            }
        return "  " + event.padding(toLength: 23, withPad: " ", startingAt: 0) + " | "
            + notification.padding(toLength: 22, withPad: " ", startingAt: 0) + " | " + text
    }
}

/// Style in which a call reports its result.
enum CallStyle: CaseIterable { case closures, delegate }

extension StoryListener.Names {
    /// Reads the names in the cells of a table.
    ///
    /// - Parameter cells: Events, notifications and the model's properties, each in backticks.
    init(cells: [String]) {
        let names = cells.map { cell in Set(cell.matches(of: /`([^`]+)`/).map { String($0.1) }) }
        self.init(events: names[0], notifications: names[1], model: names[2])
        leaveOutListing()
    }

    /// Removes the changes of the listing, which accompany nearly every event.
    mutating func leaveOutListing() {
        events.remove("listingChanged")
        notifications.remove("vitrineListingDidChange")
    }

    mutating func leaveOut(_ others: Self) {
        events.subtract(others.events)
        notifications.subtract(others.notifications)
    }
}

extension CatalogEvent {
    /// Names of the event's cases, such as `loading.statusChanged`. For a transaction, the name of its step is left
    /// out.
    fileprivate var name: String {
        guard let outer = Mirror(reflecting: self).children.first, let label = outer.label else { return word }
        let inner = Mirror(reflecting: outer.value)
        guard !(outer.value is TransactionStep), inner.displayStyle == .enum, let name = inner.children.first?.label
        else { return label }
        return "\(label).\(name)"
    }
}

extension [RecordingLog.Line] {
    /// First line of each event. An event above the level `debug` may have a second line with all details.
    fileprivate var withoutDetails: [RecordingLog.Line] {
        indices.filter { index in
            guard index > 0, self[index].level == .debug else { return true }
            let before = self[index - 1]
            return before.level == .debug || before.text != self[index].text
        }.map { self[$0] }
    }
}

extension RecordingLog.Line {
    /// Text of the line, without empty or zero metadata.
    fileprivate var shortText: String {
        let said = metadata.filter { !["", "0"].contains("\($0.value)") }
        return RecordingLog.Line(level: level, text: text, metadata: said).fullText
            .replacing("com.example.voyager.", with: "")
    }
}
