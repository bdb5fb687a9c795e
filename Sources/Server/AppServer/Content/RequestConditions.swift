internal import Foundation
internal import HTTPTypes

/// Entity tags in a header field (RFC 9110 §8.8.3).
struct EntityTags {
    /// `true` for `*`, which stands for any tag.
    let isAny: Bool
    /// Opaque texts of the tags, without their quotation marks.
    let tags: [(text: String, isWeak: Bool)]

    /// Reads a list of tags. What is no tag is left out.
    init(_ field: String) {
        isAny = field.trimmingCharacters(in: .whitespaces) == "*"
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

    /// Returns `true` if a tag is among these, weak or not.
    func hasWeakly(_ tag: String) -> Bool { isAny || tags.contains { $0.text == tag } }

    /// Returns `true` if a tag that is not weak is among these.
    func hasStrongly(_ tag: String) -> Bool { isAny || tags.contains { $0.text == tag && !$0.isWeak } }
}

/// Conditions of a request, evaluated for a file (RFC 9110 §13.2.2).
struct RequestConditions {
    enum Outcome: Hashable {
        case proceed, notModified, failed
    }

    let headers: HTTPFields
    /// Tag of the file, without quotation marks. It is strong.
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

    /// `true` if the part that the request asks for is a part of this file. A date in `If-Range` is no proof of it,
    /// because a file may change twice in a second.
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

/// Part of a file that a request asks for (RFC 9110 §14.2).
enum RequestedPart: Hashable {
    /// The whole file, also if the field is malformed, or asks for several parts.
    case whole
    case part(Range<Int>)
    /// No byte of the file is in the part.
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

    /// Returns a number of digits alone; the greatest number where there are too many digits.
    private static func number(_ text: Substring) -> Int? {
        guard !text.isEmpty, text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) else {
            return nil
        }
        return Int(text) ?? .max
    }
}
