internal import Foundation
public import PropertyList

/// Error thrown when a StoreKit configuration file cannot be used.
public struct StoreConfigurationError: DescribedError {
    /// Description of the error as part of a sentence.
    public let reason: String
    /// Position of a syntax error; `nil` for other errors, and if the position is unknown.
    public let position: SourcePosition?

    public init(reason: String, position: SourcePosition? = nil) {
        self.reason = reason
        self.position = position
    }

    public var description: String { position.map { "\($0): \(reason)" } ?? reason }

    public var recoverySuggestion: String? { "Save the file again with the StoreKit configuration editor of Xcode." }
}

extension StoreConfigurationError {
    init(decoding error: any Error, of data: Data) {
        guard let error = error as? DecodingError else {
            self.init(reason: "the file cannot be read: \(error)")
            return
        }
        switch error {
        case .keyNotFound(let key, let context):
            self.init(reason: "\(Self.path(context.codingPath + [key])) is missing")
        case .typeMismatch(_, let context):
            self.init(reason: "\(Self.path(context.codingPath)) has an unexpected type")
        case .valueNotFound(_, let context): self.init(reason: "\(Self.path(context.codingPath)) is null")
        case .dataCorrupted: self.init(reason: "the file is not JSON", position: Self.syntaxErrorPosition(in: data))
        @unknown default:
            self.init(reason: "the file is not a StoreKit configuration: \(error)")
        }
    }

    private static func path(_ keys: [any CodingKey]) -> String {
        let path = keys.map { $0.intValue.map { "[\($0)]" } ?? ".\($0.stringValue)" }.joined()
        return path.hasPrefix(".") ? String(path.dropFirst()) : "the file" + path
    }

    /// Returns the position of the first JSON syntax error. `JSONDecoder` does not provide it on all platforms;
    /// `JSONSerialization` provides it only in its message.
    private static func syntaxErrorPosition(in data: Data) -> SourcePosition? {
        do {
            _ = try JSONSerialization.jsonObject(with: data)
            return nil
        } catch {
            let words = (error as NSError).userInfo[NSDebugDescriptionErrorKey] as? String ?? ""
            guard let match = words.firstMatch(of: /character ([0-9]+)/), let offset = Int(match.1) else { return nil }
            let lines = data.prefix(offset).split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
            let column = String(decoding: lines.last ?? Data(), as: UTF8.self).unicodeScalars.count + 1
            return SourcePosition(line: max(lines.count, 1), column: column)
        }
    }
}
