import ArgumentParser
import Foundation
import VitrineCatalog
import VitrineCommandSupport
import VitrineEntitlements
import VitrineStoreSimulator
import VitrineSupport

struct StoreClockCommand: StoreReportingCommand {
    static let configuration = CommandConfiguration(
        commandName: "clock",
        abstract: "Show the store's clock, or choose between a virtual clock and that of this machine.",
        discussion: """
            The store takes all its dates from the clock of this machine, or from a virtual clock, which stands still \
            until 'vitrine store advance' advances it. All commands for the home use that clock. The exit status is 1 \
            if the virtual clock would be set to an earlier date than the store's present one.

            EXAMPLE:
              vitrine store clock
              vitrine store clock virtual 2027-01-31
              vitrine store clock machine
            """
    )

    enum Kind: String, ExpressibleByArgument, CaseIterable {
        case virtual, machine
    }

    @Argument(help: "The clock that the store uses from now on: virtual or machine. (default: only show the clock)")
    var kind: Kind?

    @Argument(
        help: ArgumentHelp(
            "The day or time in UTC to which the virtual clock is set, such as 2027-01-31 or 2027-01-31T12:00:00Z. "
                + "(default: the store's present date)", valueName: "date"))
    var date: String?

    @OptionGroup var options: StoreOptions

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
                next.map { "next change that time causes in the store: \($0.second)" }
                    ?? "time causes no change in the store",
            ], json: ["clock": (isVirtual ? Kind.virtual : .machine).rawValue, "date": now, "nextEvent": next])
    }
}

struct StoreAdvanceCommand: StoreReportingCommand {
    static let configuration = CommandConfiguration(
        commandName: "advance",
        abstract: "Advance the store's clock, and list what happens in the store meanwhile.",
        discussion: """
            Subscriptions renew or end, and requests for approval expire, each at its own time. Afterwards the store \
            uses a virtual clock, which stands still at the new date. Months and years follow the Gregorian calendar \
            in UTC; a day has 24 hours. While 'vitrine store serve' runs, the clock stops at each change until the \
            server of the app has answered the notifications about it. The exit status is 1 for a date that is not \
            later than the store's present one, or at which the store's certificates have expired.

            EXAMPLE:
              vitrine store advance 30d
              vitrine store advance P1M
              vitrine store advance 2027-01-31T12:00:00Z
            """
    )

    @Argument(
        help: ArgumentHelp(
            "The duration by which to advance the clock, such as 30d, 12h, 90m, P1Y, P1M or PT12H, or the day or time "
                + "in UTC to which to advance it.",
            valueName: "duration-or-date"))
    var instant: String

    @Option(
        help: ArgumentHelp(
            "The time in seconds for which the clock waits at each change for the deliveries of notifications.",
            valueName: "seconds"))
    var deliveriesWithin = 60.0

    @OptionGroup var options: StoreOptions

    func validate() throws {
        guard StoreInstant(instant) != nil else {
            throw ValidationError(
                "\(instant) is neither a duration above zero, such as 30d, 12h, 90m, P1Y, P1M or PT12H, nor a day or "
                    + "time, such as 2027-01-31 or 2027-01-31T12:00:00Z.")
        }
        guard (0...3_600).contains(deliveriesWithin) else {
            throw ValidationError("--deliveries-within must be from 0 to 3600 seconds.")
        }
    }

    var activity: String? { "advancing the clock" }

    func report(on store: SimulatedStore) async throws(SimulatedStoreError) -> Report {
        let now = store.clock.now
        let events = try await store.advance(
            to: StoreInstant(instant)?.date(from: now) ?? now, deliveriesWithin: deliveriesWithin)
        let date = store.clock.now
        return Report(
            lines: (events.isEmpty ? ["nothing happened in the store"] : StoreEvent.table(of: events).lines)
                + ["the store's clock stands at \(date.second)"],
            json: ["date": date, "events": events.map(\.document)])
    }
}

struct StoreTimelineCommand: StoreReportingCommand {
    static let configuration = CommandConfiguration(
        commandName: "timeline",
        abstract: "List what has happened in the store, and what time alone will cause in it, such as renewals.",
        discussion: """
            What will happen is computed as if no command changed the store, for at most the next thousand changes of \
            the store. This command does not change the store. The exit status is 1 for a product that the store does \
            not know.

            EXAMPLE:
              vitrine store timeline com.example.voyager.club --ahead 12
            """
    )

    @Argument(
        help: ArgumentHelp("The identifier of the product. (default: all products)", valueName: "product"),
        completion: .product)
    var product: String?

    @Option(help: ArgumentHelp("The number of future changes to list, from 0 to 1000.", valueName: "n"))
    var ahead = 5

    @OptionGroup var options: StoreOptions

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
            lines.insert(
                "\(store.clock.now.second): now; if no command changes the store, there will follow:",
                at: lines.count - future.count)
        }
        return Report(
            lines: past.isEmpty && future.isEmpty ? ["nothing has happened in the store"] : lines,
            json: ["events": past.map(\.document), "ahead": future.map(\.document)])
    }
}

struct StoreRateCommand: StoreReportingCommand {
    static let configuration = CommandConfiguration(
        commandName: "rate",
        abstract: "Set how fast the periods of subscriptions pass, or list the possible rates.",
        discussion: """
            The rates are the time rates of StoreKitTest. A new rate applies to the periods of subscriptions that \
            begin from now on.

            EXAMPLE:
              vitrine store rate
              vitrine store rate monthly-renewal-every-hour
            """
    )

    @Argument(help: ArgumentHelp("The name of the rate. (default: list the rates)", valueName: "name"))
    var name: String?

    @OptionGroup var options: StoreOptions

    func validate() throws {
        guard let name, TimeRate(name: name) == nil else { return }
        throw ValidationError("\(name) is not a rate; 'vitrine store rate' lists the rates.")
    }

    func report(on store: SimulatedStore) async throws(SimulatedStoreError) -> Report {
        if let name, let rate = TimeRate(name: name) {
            try await store.setTimeRate(rate)
            return Report(
                lines: ["periods of subscriptions that begin from now on pass at the rate \(name)"],
                json: ["rate": name])
        }
        let present = try await store.timeRate
        return Report(
            lines: TimeRate.allCases.map { $0.name + ($0 == present ? " (present rate)" : "") },
            json: ["rate": present.name, "rates": TimeRate.allCases.map(\.name)])
    }
}
