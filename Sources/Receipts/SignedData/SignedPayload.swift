internal import Foundation

/// The content of a JWS that the store signs.
protocol SignedPayload: Decodable {
    /// What it is called in messages, with its article.
    static var name: String { get }

    /// The app that it was signed for; `nil` where the store does not say.
    var app: String? { get }
    var environment: StoreEnvironment { get }
    /// When the store signed it.
    var signedDate: Date { get }
    /// Every date in it.
    var dates: [Date] { get }
    /// Nothing that every such payload has is empty or out of range.
    var isComplete: Bool { get }
}
