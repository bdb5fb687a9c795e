import Foundation

/// What tells one of the app's accounts from another.
enum AccountToken {
    static func parse(_ text: String) throws(ToolFailure) -> UUID {
        guard let token = UUID(uuidString: text) else {
            throw ToolFailure(status: .usage, reason: "\(text) is no UUID")
        }
        return token
    }
}
