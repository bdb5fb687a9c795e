internal import Foundation

/// The content of a JWS that the store signs.
protocol SignedPayload: Decodable {
    /// What it is called in messages, with its article.
    static var name: String { get }

    /// Whom it was signed for, and where; each has to be right.
    var subjects: [SignedSubject] { get }
    /// When the store signed it; `nil` where it does not say.
    var signatureDate: Date? { get }
    /// Every date in it.
    var dates: [Date] { get }
    /// Nothing that every such payload has is empty or out of range.
    var isComplete: Bool { get }
}

/// An app and an environment that data was signed for.
struct SignedSubject {
    /// `nil` where the data does not name the app.
    var app: String?
    /// The app's identifier in the App Store; `nil` where the data does not say.
    var appIdentifier: Int64?
    var environment: StoreEnvironment
}

extension KeyedDecodingContainer {
    /// Reads a value on which nothing depends that was paid for.
    ///
    /// - Returns: `nil` also where the store writes something else there: a purchase is not refused for that.
    func information<Value: Decodable>(_ key: Key) -> Value? {
        (try? decodeIfPresent(Value.self, forKey: key)) ?? nil
    }
}

extension JSONDecoder {
    /// Reads dates as the store writes them, in milliseconds since 1970.
    static let storeDates: JSONDecoder = {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .millisecondsSince1970
        return decoder
    }()
}
