public import Foundation
public import VitrineCatalog

/// Rate at which subscriptions of a simulated store renew. The rates and their raw values are StoreKitTest's.
public enum TimeRate: Int, Codable, Sendable, Hashable, CaseIterable {
    case realTime = 0

    case oneHourIsOneDay = 1
    case thirtyMinutesIsOneDay = 2
    case fiveMinutesIsOneDay = 3
    case oneMinuteIsOneDay = 4
    case thirtySecondsIsOneDay = 5
    case oneSecondIsOneDay = 6

    case monthlyRenewalEveryHour = 10
    case monthlyRenewalEveryThirtyMinutes = 11
    case monthlyRenewalEveryFifteenMinutes = 12
    case monthlyRenewalEveryFiveMinutes = 13
    case monthlyRenewalEveryThirtySeconds = 15

    case oneRenewalEveryFifteenMinutes = 1_000
    case oneRenewalEveryFiveMinutes = 1_001
    case oneRenewalEveryMinute = 1_002
    case oneRenewalEveryThirtySeconds = 1_003
    case oneRenewalEveryTenSeconds = 1_004
    case oneRenewalEveryTwoSeconds = 1_005

    /// Creates the rate with the given name.
    ///
    /// - Returns: `nil` if no rate has the name.
    public init?(name: String) {
        guard let rate = Self.allCases.first(where: { $0.name == name }) else { return nil }
        self = rate
    }

    /// Name of the rate in commands, such as `monthly-renewal-every-hour`.
    public var name: String {
        String(describing: self).map { $0.isUppercase ? "-\($0.lowercased())" : String($0) }.joined()
    }
}

// MARK: - Lengths

extension TimeRate {
    /// Returns the end of a subscription's period.
    ///
    /// In real time, periods follow the Gregorian calendar in UTC, with days of 24 hours. At the other rates, periods
    /// have fixed lengths.
    ///
    /// - Parameters:
    ///   - period: The renewal period of the subscription, or the period of a subscription offer.
    ///   - start: The beginning of the period.
    ///   - billingDay: The day of the month, from 1, on which periods end in real time. In a shorter month, its last
    ///     day is used.
    public func end(of period: RenewalPeriod, from start: Date, billingDay: Int) -> Date {
        if self == .realTime, let end = SubscriptionDuration(period).end(from: start, billingDay: billingDay) {
            return end
        }
        return start.addingTimeInterval(lengths.length(of: period))
    }

    /// Returns the length of the billing grace period of a subscription. Periods of days and weeks have the grace
    /// period of weekly subscriptions.
    public func gracePeriod(for period: RenewalPeriod) -> TimeInterval {
        switch period.unit {
        case .day, .week: lengths.weeklyGrace
        case .month, .year: lengths.grace
        }
    }

    /// Returns the length of the billing retry period: the time after the end of a period during which the store tries
    /// to charge for the renewal of a subscription again.
    public func retryPeriod(for period: RenewalPeriod) -> TimeInterval { lengths.retry }

    /// Length of the lapse between two periods of a subscription after which a new series of periods begins: 60 days in
    /// real time, and 10 minutes at the sandbox's usual rate of a month in five minutes
    /// ([Apple's lengths](https://developer.apple.com/documentation/appstoreserverapi/recentsubscriptionstartdate)).
    var longestLapse: TimeInterval { lengths.retry }

    /// Returns the interval in seconds by which an extension of a number of days moves a renewal date.
    func extent(ofDays days: Int) -> TimeInterval { lengths.month / 30 * TimeInterval(days) }

    private var lengths: Lengths {
        switch self {
        case .realTime: .day(86_400)
        case .oneHourIsOneDay: .day(3_600)
        case .thirtyMinutesIsOneDay: .day(1_800)
        case .fiveMinutesIsOneDay: .day(300)
        case .oneMinuteIsOneDay: .day(60)
        case .thirtySecondsIsOneDay: .day(30)
        case .oneSecondIsOneDay: .day(1)
        case .monthlyRenewalEveryHour: .month(3_600, week: 900, weeklyGrace: 771)
        case .monthlyRenewalEveryThirtyMinutes: .month(1_800, week: 600, weeklyGrace: 514)
        case .monthlyRenewalEveryFifteenMinutes: .month(900, week: 300, weeklyGrace: 257)
        case .monthlyRenewalEveryFiveMinutes: .month(300, week: 180, weeklyGrace: 154)
        case .monthlyRenewalEveryThirtySeconds: .month(30, week: 10, weeklyGrace: 9)
        case .oneRenewalEveryFifteenMinutes: .renewal(900)
        case .oneRenewalEveryFiveMinutes: .renewal(300)
        case .oneRenewalEveryMinute: .renewal(60)
        case .oneRenewalEveryThirtySeconds: .renewal(30)
        case .oneRenewalEveryTenSeconds: .renewal(10)
        case .oneRenewalEveryTwoSeconds: .renewal(2)
        }
    }
}

/// Lengths of subscription periods at a time rate, in seconds.
///
/// Apple documents the lengths of a week, of 1, 2, 3, 6 and 12 months, and of the grace and billing retry periods at
/// the rates by month and by renewal. At the rates by day, grace and billing retry periods have as many days as in real
/// time.
private struct Lengths {
    let day: TimeInterval
    let week: TimeInterval
    let month: TimeInterval
    let year: TimeInterval
    let weeklyGrace: TimeInterval
    let grace: TimeInterval
    let retry: TimeInterval
    /// Indicates that every period has the same length.
    var isFixed = false

    func length(of period: RenewalPeriod) -> TimeInterval {
        let unit =
            switch period.unit {
            case .day: day
            case .week: week
            case .month: month
            case .year: year
            }
        return isFixed ? unit : unit * TimeInterval(period.count)
    }

    /// Returns the lengths of all periods for a given length of a day.
    static func day(_ day: TimeInterval) -> Lengths {
        Lengths(
            day: day, week: 7 * day, month: 30 * day, year: 365 * day, weeklyGrace: 6 * day, grace: 16 * day,
            retry: 60 * day)
    }

    /// Returns the lengths of all periods for given lengths of a month and a week. The week is longer than its share of
    /// the month, and the weekly grace period has whole seconds.
    static func month(_ month: TimeInterval, week: TimeInterval, weeklyGrace: TimeInterval) -> Lengths {
        Lengths(
            day: week / 7, week: week, month: month, year: 12 * month, weeklyGrace: weeklyGrace, grace: month / 2,
            retry: 2 * month)
    }

    /// Returns the lengths for a rate at which all periods have the same length.
    static func renewal(_ renewal: TimeInterval) -> Lengths {
        Lengths(
            day: renewal, week: renewal, month: renewal, year: renewal, weeklyGrace: renewal, grace: renewal,
            retry: 2 * renewal, isFixed: true)
    }
}
