internal import Foundation
internal import VitrineCatalog
internal import VitrineFileSystem
internal import VitrinePropertyList
internal import VitrineSupport

/// Collected errors of a configuration.
final class ConfigurationErrors {
    private(set) var lines: [String] = []

    func add(_ line: String) { lines.append(line) }
}

/// Value in a configuration file, which reports errors with its position.
struct ConfigurationValue {
    let value: PropertyListValue
    /// Key path of the value, such as `apps[0].roots`.
    let name: String
    let file: URL
    let errors: ConfigurationErrors

    /// Adds an error to the configuration's errors, with the position and name of this value.
    func report(_ reason: String) {
        let location = "\(file.relativePath):\(value.position)"
        errors.add(name.isEmpty ? "\(location): \(reason)" : "\(location): \(name): \(reason)")
    }

    // MARK: Types

    var string: String? {
        guard let string = value.string, !string.isEmpty, !string.unicodeScalars.contains(where: \.isControl) else {
            report("must be a string that is not empty")
            return nil
        }
        return string
    }

    func integer(in range: ClosedRange<Int>) -> Int? {
        checked(
            value.integer.flatMap { range.contains($0) ? $0 : nil },
            "must be an integer from \(range.lowerBound) to \(range.upperBound)")
    }

    var boolean: Bool? { checked(value.boolean, "must be a Boolean") }

    private func checked<Value>(_ value: Value?, _ requirement: String) -> Value? {
        if value == nil { report(requirement) }
        return value
    }

    /// Elements of an array; empty, with a reported error, for another type.
    var elements: [ConfigurationValue] {
        guard value.kind == .array else {
            report("must be an array")
            return []
        }
        return value.elements.enumerated().map { index, element in
            ConfigurationValue(value: element, name: "\(name)[\(index)]", file: file, errors: errors)
        }
    }

    /// Entries of a dictionary with arbitrary keys; empty, with a reported error, for another type.
    var entries: [(key: String, value: ConfigurationValue)] {
        guard value.kind == .dictionary else {
            report("must be a dictionary")
            return []
        }
        return value.entries.map { entry in
            let inner = ConfigurationValue(
                value: entry.value, name: name.isEmpty ? entry.key : "\(name).\(entry.key)", file: file,
                errors: errors)
            return (entry.key, inner)
        }
    }

    /// Values of a dictionary by key. An unknown key is reported as an error.
    func values(_ known: [String]) -> [String: ConfigurationValue] {
        var values: [String: ConfigurationValue] = [:]
        for (key, value) in entries {
            if !known.contains(key) {
                value.report("unknown key; \(Self.advice(on: key, known, "the keys here are"))")
            } else if values.updateValue(value, forKey: key) != nil {
                value.report("the key occurs twice")
            }
        }
        return values
    }

    /// Reports a value that is not one of the possible ones.
    func report(_ text: String, isNotOneOf possible: [String]) {
        report("\(text.quoted) is unknown; \(Self.advice(on: text, possible, "it must be one of"))")
    }

    /// Returns the end of a message about an unknown text: a question for the nearest known one, or all known ones.
    private static func advice(on text: String, _ known: [String], _ introduction: String) -> String {
        EditDistance.nearest(to: text, among: known).map { "did you mean \($0.quoted)?" }
            ?? "\(introduction) \(known.joined(separator: ", "))"
    }

    /// Reports a missing key of a dictionary.
    func reportMissing(_ key: String) { report("the key \(key) is missing") }

    // MARK: Files

    /// URL of the file or folder at this path, relative to the folder of the configuration file.
    func url(isFolder: Bool) -> URL? {
        guard let path = string else { return nil }
        return URL(
            filePath: path, directoryHint: isFolder ? .isDirectory : .notDirectory,
            relativeTo: file.deletingLastPathComponent())
    }

    /// Folder at this path; `nil`, with a reported error, if it does not exist.
    var folder: URL? {
        guard let url = url(isFolder: true) else { return nil }
        guard FileStatus(url)?.kind == .folder else {
            report("there is no folder \(url.relativePath)")
            return nil
        }
        return url
    }

    /// Returns the URL and content of the file at this path; `nil`, with a reported error, if it cannot be read or is
    /// larger than the limit in bytes.
    func content(limit: Int = 1 << 20) -> (url: URL, data: Data)? {
        guard let url = url(isFolder: false) else { return nil }
        do throws(FileSystemError) {
            let data = try BoundedFile.read(url, limit: limit)
            guard data.count <= limit else {
                report("\(url.relativePath) has more than \(limit) bytes")
                return nil
            }
            return (url, data)
        } catch {
            report("\(url.relativePath) cannot be read: \(error.reason)")
            return nil
        }
    }
}
