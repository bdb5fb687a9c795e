internal import Foundation
internal import HTTPTypes

/// Entity tags of an HTTP header field (RFC 9110 §8.8.3).
struct EntityTags {
    /// `true` for `*`, which matches any tag.
    let isAny: Bool
    /// Opaque values of the tags, without quotation marks.
    let tags: [(text: String, isWeak: Bool)]

    /// Parses a list of entity tags, and skips anything else.
    init(_ field: String) {
        isAny = field.utf8.lazy.filter { $0 != UInt8(ascii: " ") && $0 != UInt8(ascii: "\t") }.elementsEqual("*".utf8)
        var tags: [(text: String, isWeak: Bool)] = []
        var rest = Array(field.utf8)[...]
        while let start = rest.firstIndex(of: UInt8(ascii: "\"")) {
            let before = rest[..<start]
            rest = rest[(start + 1)...]
            guard let end = rest.firstIndex(of: UInt8(ascii: "\"")) else { break }
            tags.append((String(decoding: rest[..<end], as: UTF8.self), before.suffix(2).elementsEqual("W/".utf8)))
            rest = rest[(end + 1)...]
        }
        self.tags = tags
    }

    /// Indicates that the list contains a tag, by weak comparison (RFC 9110 §8.8.3.2).
    func hasWeakly(_ tag: String) -> Bool { isAny || tags.contains { $0.text == tag } }

    /// Indicates that the list contains a tag, by strong comparison (RFC 9110 §8.8.3.2).
    func hasStrongly(_ tag: String) -> Bool { isAny || tags.contains { $0.text == tag && !$0.isWeak } }
}

/// Conditions of an HTTP request, evaluated for a file (RFC 9110 §13.2.2).
struct RequestConditions {
    enum Outcome: Hashable {
        case proceed, notModified, failed
    }

    let headers: HTTPFields
    /// Strong entity tag of the file, without quotation marks.
    let tag: String
    let modified: Date

    var outcome: Outcome {
        if let tags = list(.ifMatch) {
            guard tags.hasStrongly(tag) else { return .failed }
        } else if let date = date(.ifUnmodifiedSince), modified > date {
            return .failed
        }
        if let tags = list(.ifNoneMatch) { return tags.hasWeakly(tag) ? .notModified : .proceed }
        if let date = date(.ifModifiedSince), modified <= date { return .notModified }
        return .proceed
    }

    /// Indicates that `If-Range` permits sending a part of the file. A date in `If-Range` never permits it, because a
    /// file may change twice in a second.
    var permitsPart: Bool {
        guard let field = headers[.ifRange] else { return true }
        let tags = EntityTags(field)
        return !tags.isAny && tags.hasStrongly(tag)
    }

    private func list(_ name: HTTPField.Name) -> EntityTags? {
        let fields = headers[values: name]
        return fields.isEmpty ? nil : EntityTags(fields.joined(separator: ","))
    }

    private func date(_ name: HTTPField.Name) -> Date? { headers[name].flatMap { HTTPTimestamp.date($0) } }
}

/// Part of a file according to the header field `Range` (RFC 9110 §14.2).
enum RequestedPart: Hashable {
    /// The whole file; also for a malformed field, and for several ranges.
    case whole
    case part(Range<Int>)
    /// The requested range contains no byte of the file.
    case unsatisfiable

    init(_ field: String?, length: Int) {
        self = field.flatMap { Self.parse($0, length) } ?? .whole
    }

    private static func parse(_ field: String, _ length: Int) -> RequestedPart? {
        let unit = "bytes="
        guard field.lowercased().hasPrefix(unit) else { return nil }
        let ends = field.dropFirst(unit.count).trimmingCharacters(in: .whitespaces)
            .split(separator: "-", maxSplits: 1, omittingEmptySubsequences: false)
        guard ends.count == 2 else { return nil }
        if ends[0].isEmpty {
            guard let count = number(ends[1]) else { return nil }
            return count == 0 || length == 0 ? .unsatisfiable : .part(max(length - count, 0)..<length)
        }
        guard let first = number(ends[0]) else { return nil }
        guard !ends[1].isEmpty else { return first < length ? .part(first..<length) : .unsatisfiable }
        guard let last = number(ends[1]), first <= last else { return nil }
        return first < length ? .part(first..<min(last, length - 1) + 1) : .unsatisfiable
    }

    /// Parses a decimal number; `Int.max` if it has too many digits, `nil` if a character is not a digit.
    private static func number(_ text: Substring) -> Int? {
        guard !text.isEmpty, text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) else {
            return nil
        }
        return Int(text) ?? .max
    }
}
