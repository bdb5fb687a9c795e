public import Foundation

/// Last answer of the store about the customer's subscriptions. It is stored beside the ledger's entries.
///
/// It limits how long subscriptions without a confirmed renewal are owned, and never makes a product owned by itself.
public struct SubscriptionCheck: Sendable, Hashable, Codable {
    /// Date of the store's last answer about the customer's subscriptions. It is the time of the device's clock, or the
    /// latest signing date of the store if that is later.
    public var answerDate: Date
    /// Original transactions of the subscriptions in the store's last answer.
    public var listed: Set<String>
    /// Latest end of a subscription's period that the device's clock has reached since the store's last answer.
    public var latestSeenEnd: Date
    /// Time by which the device's clock is ahead of the store's clock, measured when the store answered a purchase;
    /// `nil` if the clock was not ahead, or has been set back since.
    public var clockLead: ClockLead?

    public init(
        answerDate: Date = .distantPast, listed: Set<String> = [], latestSeenEnd: Date = .distantPast,
        clockLead: ClockLead? = nil
    ) {
        self.answerDate = answerDate
        self.listed = listed
        self.latestSeenEnd = latestSeenEnd
        self.clockLead = clockLead
    }
}

/// Time by which the device's clock is ahead of the store's clock, measured when the store answered a purchase.
public struct ClockLead: Sendable, Hashable, Codable {
    /// Date that the device's clock showed when the store was asked.
    public let deviceDate: Date
    /// Lead of the device's clock, in seconds.
    public let seconds: TimeInterval

    /// Shortest lead that counts, in seconds. Clocks are never quite equal.
    private static let shortest: TimeInterval = 60

    /// Creates the lead of a device's clock.
    ///
    /// - Parameters:
    ///   - deviceDate: Date that the device's clock showed when the store was asked.
    ///   - storeDate: Date at which the store has signed the answer.
    /// - Returns: `nil` if the clock is not ahead.
    public init?(deviceDate: Date, storeDate: Date) {
        let seconds = deviceDate.timeIntervalSince(storeDate)
        guard seconds > Self.shortest else { return nil }
        self.deviceDate = deviceDate
        self.seconds = seconds
    }

    /// Returns `true` if the lead applies at a date of the device's clock. A clock that shows an earlier date than when
    /// its lead was measured has been set back.
    func applies(at date: Date) -> Bool { date >= deviceDate }

    /// Returns a date of the device's clock at which a date of the store's has been reached. It is a millisecond late,
    /// because sums of dates are not exact.
    func deviceDate(of date: Date) -> Date { date.addingTimeInterval(seconds + 0.001) }
}
