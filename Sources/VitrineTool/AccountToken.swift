import Foundation

/// Token that identifies one of the app's accounts.
enum AccountToken {
    static func parse(_ text: String) throws(ToolFailure) -> UUID {
        guard let token = UUID(uuidString: text) else {
            throw ToolFailure(status: .usage, reason: "\(text) is not a UUID")
        }
        return token
    }
}
