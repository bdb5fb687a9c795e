import ArgumentParser
import Foundation
import StoreSimulator

struct StoreClockCommand: StoreReportingCommand {
    static let configuration = CommandConfiguration(
        commandName: "clock",
        abstract: "Show the store's clock, or choose the clock that the store follows.",
        discussion: """
            A store follows the clock of this machine, or a virtual clock, which stands still until it is advanced. \
            All commands of the home read the date of the store's clock. A virtual clock cannot be set back; the exit \
            status is 1 then.

            EXAMPLE:
              vitrine store clock
              vitrine store clock virtual 2027-01-31
              vitrine store clock machine
            """
    )

    enum Kind: String, ExpressibleByArgument, CaseIterable {
        case virtual, machine
    }

    @Argument(help: "The clock to follow: virtual or machine. (default: only show the clock)")
    var kind: Kind?

    @Argument(
        help: ArgumentHelp(
            "The day or time in UTC at which the virtual clock stands, such as 2027-01-31 or 2027-01-31T12:00:00Z. "
                + "(default: the store's present date)", valueName: "date"))
    var date: String?

    @OptionGroup var home: HomeOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard let date else { return }
        guard kind == .virtual else { throw ValidationError("Only a virtual clock can be set to a date.") }
        guard Date(dayOrTime: date) != nil else {
            throw ValidationError(
                "The date \(date) is not a day or time since 1970, such as 2027-01-31 or 2027-01-31T12:00:00Z.")
        }
    }

    func report(on store: SimulatedStore) async throws(SimulatedStoreError) -> Report {
        switch kind {
        case .virtual: try await store.useVirtualClock(at: date.flatMap(Date.init(dayOrTime:)))
        case .machine: try await store.useMachineClock()
        case nil: break
        }
        let (isVirtual, now) = (try await store.hasVirtualClock, store.clock.now)
        let next = try await store.nextEvent()
        return Report(
            lines: [
                "\(now.second), by \(isVirtual ? "a virtual clock, which stands still" : "the clock of this machine")",
                next.map { "next event: \($0.second)" } ?? "no event is due by itself",
            ],
            json: ["clock": (isVirtual ? Kind.virtual : .machine).rawValue, "date": now, "nextEvent": next],
            status: .yes)
    }
}

struct StoreAdvanceCommand: StoreReportingCommand {
    static let configuration = CommandConfiguration(
        commandName: "advance",
        abstract: "Advance the store's clock, and show what happens until then.",
        discussion: """
            Subscriptions renew or end, and requests for approval expire, each at its own time. From then on the store \
            follows a virtual clock, which stands still. Months and years follow the Gregorian calendar in UTC; a day \
            has 24 hours. The exit status is 1 for a date that is not later than the store's, or later than its \
            certificates are valid.

            EXAMPLE:
              vitrine store advance 30d
              vitrine store advance P1M
              vitrine store advance 2027-01-31T12:00:00Z
            """
    )

    @Argument(
        help: ArgumentHelp(
            "The duration, such as 30d, 12h, 90m, P1Y, P1M or PT12H, or the day or time in UTC to advance to.",
            valueName: "duration-or-date"))
    var instant: String

    @OptionGroup var home: HomeOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard StoreInstant(instant) != nil else {
            throw ValidationError(
                "\(instant) is neither a duration above zero, such as 30d, 12h, 90m, P1Y, P1M or PT12H, nor a day or "
                    + "time, such as 2027-01-31 or 2027-01-31T12:00:00Z.")
        }
    }

    func report(on store: SimulatedStore) async throws(SimulatedStoreError) -> Report {
        let now = store.clock.now
        let events = try await store.advance(to: StoreInstant(instant)?.date(from: now) ?? now)
        let date = store.clock.now
        return Report(
            lines: (events.isEmpty ? ["nothing happened"] : StoreEvent.table(of: events).lines)
                + ["the store's clock stands at \(date.second)"],
            json: ["date": date, "events": events.map(\.document)], status: .yes)
    }
}

struct StoreTimelineCommand: StoreReportingCommand {
    static let configuration = CommandConfiguration(
        commandName: "timeline",
        abstract: "Show what has happened in the store, and what will happen by itself.",
        discussion: """
            The future events are those that the clock brings if nothing else is done, among the next thousand of the \
            store. The store remains as it is. The exit status is 1 for a product that the store does not know.

            EXAMPLE:
              vitrine store timeline com.example.voyager.club --ahead 12
            """
    )

    @Argument(help: ArgumentHelp("The identifier of the product. (default: all products)", valueName: "product"))
    var product: String?

    @Option(help: ArgumentHelp("The number of future events to show, from 0 to 1000.", valueName: "n"))
    var ahead = 5

    @OptionGroup var home: HomeOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard (0...1_000).contains(ahead) else {
            throw ValidationError("--ahead must be from 0 to 1000, not \(ahead).")
        }
    }

    func report(on store: SimulatedStore) async throws(SimulatedStoreError) -> Report {
        let past = try await store.timeline(of: product)
        let future = try await store.forecast(ahead, of: product)
        var lines = StoreEvent.table(of: past + future).lines
        if !future.isEmpty {
            lines.insert("\(store.clock.now.second): now; if nothing else is done:", at: lines.count - future.count)
        }
        return Report(
            lines: past.isEmpty && future.isEmpty ? ["nothing has happened"] : lines,
            json: ["events": past.map(\.document), "ahead": future.map(\.document)], status: .yes)
    }
}

struct StoreRateCommand: StoreReportingCommand {
    static let configuration = CommandConfiguration(
        commandName: "rate",
        abstract: "Set how fast the periods of subscriptions pass, or list the rates.",
        discussion: """
            The rates are those of StoreKitTest. A rate applies to periods that begin from now on.

            EXAMPLE:
              vitrine store rate
              vitrine store rate monthly-renewal-every-hour
            """
    )

    @Argument(help: ArgumentHelp("The name of the rate. (default: list the rates)", valueName: "name"))
    var name: String?

    @OptionGroup var home: HomeOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard let name, TimeRate(name: name) == nil else { return }
        throw ValidationError("\(name) is not a rate: vitrine store rate lists the names.")
    }

    func report(on store: SimulatedStore) async throws(SimulatedStoreError) -> Report {
        if let name, let rate = TimeRate(name: name) {
            try await store.setTimeRate(rate)
            return Report(
                lines: ["periods that begin from now on pass at the rate \(name)"], json: ["rate": name], status: .yes)
        }
        let present = try await store.timeRate
        return Report(
            lines: TimeRate.allCases.map { $0.name + ($0 == present ? " (present rate)" : "") },
            json: ["rate": present.name, "rates": TimeRate.allCases.map(\.name)], status: .yes)
    }
}
