public import Foundation

/// Error that can be displayed and logged.
///
/// The description is the rest of a sentence, for messages that begin with the failed operation. ``errorDescription``
/// is the same text as a complete sentence, or a sentence for customers in their language.
public protocol DescribedError: LocalizedError, CustomStringConvertible, Hashable, Sendable {
    /// Name of the error's category, for logs. It identifies neither a customer nor a product.
    var codeName: String { get }
}

extension DescribedError {
    public var errorDescription: String? { description.asSentence }

    public var codeName: String { "\(Self.self)" }
}

/// Category of an error. The raw value is the name of the code in logs and JSON, and stable across versions.
public protocol ErrorCode: RawRepresentable<String>, CaseIterable, CustomStringConvertible, Hashable, Sendable {
    /// Type of the additional data of errors with this code; by default, errors have no additional data.
    associatedtype Context: Hashable, Sendable = Never?

    /// Complete sentences that advise the app, its developer or the customer what to do about the error; `nil` if
    /// nothing can be done.
    var advice: String? { get }

    /// Returns the complete sentence that customers read about errors with this code; `nil`, the default, for errors
    /// that only developers read.
    ///
    /// - Parameter languages: Languages of the customer as BCP 47 tags, in order of preference. The sentence is in the
    ///   first one that is supported, or else in English.
    func customerText(for languages: [String]) -> String?

    /// Returns the location of an error, such as a path with a line. It precedes the reason in the error's description;
    /// `nil` by default.
    static func location(in context: Context) -> String?
}

extension ErrorCode {
    public var description: String { rawValue }

    public func customerText(for languages: [String]) -> String? { nil }

    public static func location(in context: Context) -> String? { nil }
}

/// Error with a code for programs and a reason for display. Most public errors of all modules have this type.
///
/// Programs must distinguish errors by their code, not by their text.
public struct CodedError<ErrorCodes: ErrorCode>: DescribedError {
    public typealias Code = ErrorCodes

    public let code: Code
    /// Description of the error, as the rest of a sentence: in lower case, without a period.
    public let reason: String
    /// Additional data of the error.
    public let context: Code.Context

    public init(code: Code, reason: String, context: Code.Context) {
        self.code = code
        self.reason = reason
        self.context = context
    }

    public var description: String { Code.location(in: context).map { "\($0): \(reason)" } ?? reason }

    /// Sentence for customers in the device's language, for errors that they read, such as those of purchases; otherwise
    /// ``description`` as a sentence. The cause is in ``reason``, for developers.
    public var errorDescription: String? {
        code.customerText(for: Locale.preferredLanguages) ?? description.asSentence
    }

    public var recoverySuggestion: String? { code.advice }

    public var codeName: String { code.rawValue }
}

extension CodedError where ErrorCodes.Context: ExpressibleByNilLiteral {
    /// Creates an error whose context is `nil`.
    public init(code: Code, reason: String) { self.init(code: code, reason: reason, context: nil) }
}

extension String {
    /// Complete sentence made from the rest of a sentence, with a capital letter and a period. If the first word is an
    /// identifier, a path or a quotation, its case is unchanged.
    fileprivate var asSentence: String {
        let isWord = prefix { !$0.isWhitespace }.allSatisfy { $0.isLowercase || ",;:'".contains($0) }
        let start = isWord ? prefix(1).uppercased() + dropFirst() : self
        return start.last.map(".!?".contains) == true ? start : "\(start)."
    }
}

extension Unicode.Scalar {
    /// `true` for a control character (general category Cc, which never changes).
    package var isControl: Bool { value < 0x20 || (0x7F..<0xA0).contains(value) }
}
