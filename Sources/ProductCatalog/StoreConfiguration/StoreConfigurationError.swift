internal import Foundation
public import PropertyList

/// Why a StoreKit configuration file cannot be used.
public struct StoreConfigurationError: Error, Sendable, Hashable, CustomStringConvertible {
    /// What is wrong, as the rest of a sentence.
    public let reason: String
    /// Where, if the file is no JSON.
    public let position: SourcePosition?

    public init(reason: String, position: SourcePosition? = nil) {
        self.reason = reason
        self.position = position
    }

    public var description: String { position.map { "\($0): \(reason)" } ?? reason }
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
            self.init(reason: "\(Self.path(context.codingPath)) is of another type than Xcode writes")
        case .valueNotFound(_, let context): self.init(reason: "\(Self.path(context.codingPath)) is null")
        case .dataCorrupted: self.init(reason: "the file is no JSON", position: Self.syntaxErrorPosition(in: data))
        @unknown default:
            self.init(reason: "the file is no StoreKit configuration: \(error)")
        }
    }

    private static func path(_ keys: [any CodingKey]) -> String {
        let path = keys.map { $0.intValue.map { "[\($0)]" } ?? ".\($0.stringValue)" }.joined()
        return path.hasPrefix(".") ? String(path.dropFirst()) : "the file" + path
    }

    /// Where JSON ends to be JSON. `JSONDecoder` does not say it on every platform; `JSONSerialization` names the
    /// byte, in words alone.
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
