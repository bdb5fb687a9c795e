internal import Entitlements
internal import Foundation

/// Stored requests for approval by another person, so that a product is still shown as waiting after a relaunch.
///
/// A store lists no such requests and does not say that one was declined. A request is valid for a day, and a repeated
/// one for a day from then, after
/// [Apple](https://developer.apple.com/forums/thread/706277): an older one is no longer shown.
struct PendingApprovals {
    private static let name = "pending-approvals"
    private static let validity: TimeInterval = 86_400

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
            preconditionFailure("a dictionary of dates is JSON: \(error)")
        }
        try await ledger.keep(data, as: Self.name)
    }

    static func valid(_ requests: [String: Date], at date: Date) -> [String: Date] {
        requests.filter { $0.value > date - validity }
    }
}
