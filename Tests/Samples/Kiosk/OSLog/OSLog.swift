import Foundation

/// Stand-in for the part of Apple's module OSLog that the clients use: messages go to the standard error.
public struct Logger: Sendable {
    private let prefix: String

    public init(subsystem: String, category: String) { prefix = "\(subsystem) \(category)" }

    public func error(_ message: LogMessage) { write(message) }
    public func fault(_ message: LogMessage) { write(message) }
    public func warning(_ message: LogMessage) { write(message) }
    public func notice(_ message: LogMessage) { write(message) }
    public func info(_ message: LogMessage) { write(message) }
    public func debug(_ message: LogMessage) { write(message) }

    private func write(_ message: LogMessage) {
        FileHandle.standardError.write(Data("\(prefix): \(message.text)\n".utf8))
    }
}

/// Message whose values may be marked as public or private, which makes no difference here.
public struct LogMessage: ExpressibleByStringInterpolation, Sendable {
    let text: String

    public init(stringLiteral value: String) { text = value }

    public init(stringInterpolation: Interpolation) { text = stringInterpolation.text }

    public struct Interpolation: StringInterpolationProtocol {
        var text = ""

        public init(literalCapacity: Int, interpolationCount: Int) {}

        public mutating func appendLiteral(_ literal: String) { text += literal }

        public mutating func appendInterpolation(_ value: some Any, privacy: Privacy = .public) { text += "\(value)" }
    }

    public enum Privacy: Sendable {
        case `public`, `private`
    }
}
