public import Foundation
internal import VitrinePropertyList
internal import VitrineSupport

/// Duration that a non-renewing subscription had for purchases before a date.
///
/// The App Store signs no duration of a non-renewing subscription. Without this history in the catalog, a device that
/// has not recorded a purchase gives it the present duration.
public struct FormerDuration: Sendable, Hashable, CustomStringConvertible {
    public var duration: SubscriptionDuration
    /// Date of the change: the duration applies to purchases before this date.
    public var until: Date

    public init(_ duration: SubscriptionDuration, until: Date) {
        self.duration = duration
        self.until = until
    }

    /// Text such as "P60D until 2030-03-01T00:00:00Z".
    public var description: String { "\(duration) until \(until.inSeconds)" }
}

/// Durations of a non-renewing subscription in a catalog: the present one, and those that it had before.
package struct SubscriptionDurations: Sendable {
    private let former: [FormerDuration]
    private let present: SubscriptionDuration?

    fileprivate init(of product: CatalogProduct) {
        (former, present) = (product.formerDurations, product.subscriptionDuration)
    }

    /// `true` if the catalog says which duration the subscription had at any date.
    package var hasHistory: Bool { !former.isEmpty }

    /// Returns the end of a purchase, if the purchased time begins at once: the duration at the purchase date, times the
    /// quantity. The end is in the year 9999 at the latest, because documents contain no later dates.
    ///
    /// - Returns: `nil` if the catalog has no duration for the date, or the quantity is not positive.
    package func end(boughtAt date: Date, quantity: Int) -> Date? {
        guard quantity > 0, let duration = former.first(where: { date < $0.until })?.duration ?? present else {
            return nil
        }
        return min(duration.end(from: date, times: quantity) ?? Self.latestEnd, Self.latestEnd)
    }

    /// Last second of the year 9999.
    private static let latestEnd = Date(timeIntervalSince1970: 253_402_300_799)
}

extension CatalogProduct {
    /// Durations of the non-renewing subscription at all dates.
    package var durations: SubscriptionDurations { SubscriptionDurations(of: self) }
}

// MARK: - In a catalog file

extension [FormerDuration]: CatalogValue {
    /// Reads the entries of an array; `nil` if one of them is invalid, or if there are too many.
    init?(declared value: PropertyListValue) {
        guard value.kind == .array, value.count <= CatalogLimits.formerDurations else { return nil }
        var entries: [FormerDuration] = []
        for element in value.elements {
            guard let entry = FormerDurationDeclaration(element).entry else { return nil }
            entries.append(entry)
        }
        self = entries
    }
}

/// A former duration as declared in the catalog file.
struct FormerDurationDeclaration {
    /// `nil` if the declaration has an error.
    let entry: FormerDuration?
    /// Error messages about the declaration, with their positions in the file.
    private(set) var problems: [Located<String>] = []

    /// Keys of an entry.
    private static let keys = ["duration", "until"]

    /// Reads an entry, which ``ValueTypeRule`` reports if it is not a dictionary.
    init(_ value: PropertyListValue) {
        guard value.kind == .dictionary else {
            entry = nil
            return
        }
        var problems: [Located<String>] = []
        func note(_ problem: String, _ value: PropertyListValue) {
            problems.append(Located(value: problem, location: SourceLocation(of: value)))
        }
        let (declared, until) = (value["duration"], value["until"])
        let duration = declared?.string.flatMap(SubscriptionDuration.init)
        if let declared, duration == nil {
            let fault = declared.string.map { "\($0.quoted) is" } ?? "is \(declared.kind.typeName) and"
            note("duration \(fault) not a duration such as P7D, P1W, P1M or P1Y", declared)
        }
        if let until, until.date == nil {
            note("until must be a date, but this is \(until.kind.typeName)", until)
        }
        if declared == nil || until == nil { note("a former duration needs duration and until", value) }
        var seen: Set<String> = []
        value.forEachEntry { keyValue, _ in
            let name = keyValue.string ?? ""
            if !seen.insert(name).inserted { note("\(name.quoted) is repeated", keyValue) }
            if !Self.keys.contains(name) {
                note("\(name.quoted) is not a key of a former duration; keys are duration, until", keyValue)
            }
        }
        let date = until?.date
        entry =
            if problems.isEmpty, let duration, let date { FormerDuration(duration, until: date) } else { nil }
        self.problems = problems
    }
}
