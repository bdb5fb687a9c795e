internal import Entitlements
internal import Foundation

/// Stored requests for approval of a purchase by another person, so that a product is still shown as waiting after a
/// relaunch.
///
/// A store does not list such requests, and does not report that one was declined. According to
/// [Apple](https://developer.apple.com/forums/thread/706277), a request is valid for a day after it was made or
/// repeated: an older one is no longer shown.
struct PendingApprovals {
    private static let name = "pending-approvals"
    static let validity: TimeInterval = 86_400

    let ledger: any Ledger

    /// Returns the dates of the stored requests that are still valid, by product.
    ///
    /// - Throws: ``LedgerError`` if the ledger cannot be read, or the stored requests are damaged.
    func stored(at date: Date) async throws(LedgerError) -> [String: Date] {
        guard let data = try await ledger.kept(Self.name) else { return [:] }
        do {
            return Self.valid(try JSONDecoder().decode([String: Date].self, from: data), at: date)
        } catch {
            throw LedgerError(code: .damaged, reason: "the stored requests for approval cannot be read and are ignored")
        }
    }

    /// Stores the dates of requests in place of the earlier ones.
    ///
    /// - Throws: ``LedgerError`` if the ledger cannot be written.
    func store(_ requests: [String: Date]) async throws(LedgerError) {
        let data: Data
        do {
            data = try JSONEncoder().encode(requests)
        } catch {
            preconditionFailure("the requests for approval cannot be encoded as JSON: \(error)")
        }
        try await ledger.keep(data, as: Self.name)
    }

    static func valid(_ requests: [String: Date], at date: Date) -> [String: Date] {
        requests.filter { $0.value > date - validity }
    }
}
