public import Foundation

/// Error that can be shown to people and written to logs.
///
/// The description is the rest of a sentence, for messages that begin with the operation that failed.
/// ``errorDescription`` is the same text as a sentence of its own.
public protocol DescribedError: LocalizedError, CustomStringConvertible, Hashable, Sendable {
    /// Category of the error for logs. It names no customer and no product.
    var codeName: String { get }
}

extension DescribedError {
    public var errorDescription: String? { description.asSentence }

    public var codeName: String { "\(Self.self)" }
}

/// Category of an error. The raw value is the name of the code in logs and JSON, and stable across versions.
public protocol ErrorCode: RawRepresentable<String>, CaseIterable, CustomStringConvertible, Hashable, Sendable {
    /// Type of the data that an error with such a code has besides its code and reason; no data by default.
    associatedtype Context: Hashable, Sendable = Never?

    /// Complete sentences that advise the app, its developer or the customer what to do about the error; `nil` if
    /// nothing can be done.
    var advice: String? { get }

    /// Returns the place of an error, such as a path with a line, which precedes the reason in the error's description;
    /// `nil` by default.
    static func location(in context: Context) -> String?
}

extension ErrorCode {
    public var description: String { rawValue }

    public static func location(in context: Context) -> String? { nil }
}

/// Error with a code for programs and a reason for people: the type of most public errors of all modules.
///
/// Errors are distinguished by their code, never by their text.
public struct CodedError<ErrorCodes: ErrorCode>: DescribedError {
    public typealias Code = ErrorCodes

    public let code: Code
    /// Description of the error, as the rest of a sentence: in lower case, without a period.
    public let reason: String
    /// Data that an error of this type has besides its code and reason.
    public let context: Code.Context

    public init(code: Code, reason: String, context: Code.Context) {
        self.code = code
        self.reason = reason
        self.context = context
    }

    public var description: String { Code.location(in: context).map { "\($0): \(reason)" } ?? reason }

    public var recoverySuggestion: String? { code.advice }

    public var codeName: String { code.rawValue }
}

extension CodedError where ErrorCodes.Context: ExpressibleByNilLiteral {
    /// Creates an error whose context is `nil`.
    public init(code: Code, reason: String) { self.init(code: code, reason: reason, context: nil) }
}

extension String {
    /// Complete sentence made from the rest of a sentence: with a capital letter and a period. A first word that is an
    /// identifier, a path or a quotation keeps its case.
    fileprivate var asSentence: String {
        let isWord = prefix { !$0.isWhitespace }.allSatisfy { $0.isLowercase || ",;:'".contains($0) }
        let start = isWord ? prefix(1).uppercased() + dropFirst() : self
        return start.last.map(".!?".contains) == true ? start : "\(start)."
    }
}

extension Unicode.Scalar {
    /// `true` for a control character (general category Cc, whose members never change).
    package var isControl: Bool { value < 0x20 || (0x7F..<0xA0).contains(value) }
}
