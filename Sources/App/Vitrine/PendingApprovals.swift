internal import Foundation
internal import VitrineEntitlements

/// Requests for approval of a purchase by another person: the date of the request by product. They are stored, so that
/// a product is still shown as waiting after a relaunch.
///
/// A store does not list such requests, and does not report that one was declined. According to
/// [Apple](https://developer.apple.com/forums/thread/706277), a request is valid for a day after it was made or
/// repeated: an older one is no longer shown.
enum PendingApprovals {
    static let validity: TimeInterval = 86_400

    /// Returns the requests that are valid at a date. A request that is dated later was made while the device's clock was
    /// ahead: it counts as made at the date, so that it is not shown for as long as the clock was ahead.
    static func valid(_ requests: [String: Date], at date: Date) -> [String: Date] {
        requests.filter { $0.value > date - validity }.mapValues { min($0, date) }
    }
}

extension StoredJSON<[String: Date]> {
    static let approvals = StoredJSON(name: "pending-approvals", description: "the stored requests for approval")
}

extension StoredJSON {
    /// Stores each element of a stream in a ledger, in place of the previous element, until the stream ends. Failures
    /// are reported by events of a state, which is not retained.
    func follow(_ stream: AsyncStream<Value>, in ledger: any Ledger, reportingTo state: ManagerState) -> Task<
        Void, Never
    > {
        Task { [weak state] in
            for await value in stream {
                do throws(LedgerError) {
                    try await store(value, in: ledger)
                } catch {
                    state?.send(.loading(.productsNotStored(error)))
                }
            }
        }
    }
}
