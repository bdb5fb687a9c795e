import Foundation
import Measuring
import SimulatedShop
import Vitrine

/// Time and memory of a hundred thousand events of one manager without listeners, with one, and with ten of which one never
/// reads. Each listener checks that it receives everything in order, or the number of events that it missed. Each case runs in
/// a process of its own.
@main
struct EventBenchmark {
    private static let eventCount = 100_000
    /// Number of events stored for a listener that does not read.
    private static let storedCount = 10_000
    /// Limit of the memory that the events may add, in MiB: each of ten listeners may have ten thousand unread ones.
    private static let memoryLimit = 64.0

    static func main() async throws {
        let arguments = Array(CommandLine.arguments.dropFirst())
        if arguments.first == "--measure", let count = arguments.dropFirst().first.flatMap({ Int($0) }) {
            return try await measureHere(listenerCount: count)
        }
        for count in [0, 1, 10] {
            var figures = Figures()
            try figures.addRun(["--measure", "\(count)"])
            print("\(eventCount) events, \(count) listeners\(count > 1 ? ", of which one never reads" : "")")
            for name in figures.names { print("  \(column(name, width: 56))", formatted(figures[name])) }
        }
    }

    private static func measureHere(listenerCount: Int) async throws {
        try await withTemporaryFolder { folder in
            let manager = try await SimulatedShop.manager(productCount: 1, in: folder)
            let idle = listenerCount > 1 ? manager.events() : nil
            let readers = (0..<(listenerCount - (idle == nil ? 0 : 1))).map { _ in
                let events = manager.events()
                return Task { await count(events) }
            }
            let memoryBefore = try residentMegabytes()
            let start = ContinuousClock.now
            // There is no such product, so that the call is only answered.
            for number in 0..<eventCount { _ = await manager.purchase("\(number)") }
            let sending = start.duration(to: .now).seconds
            await manager.stop()
            var (heardCount, missedCount) = (0, 0)
            for reader in readers {
                let counts = await reader.value
                precondition(counts.heard + counts.missed == eventCount, "a listener lost events without a report")
                (heardCount, missedCount) = (heardCount + counts.heard, missedCount + counts.missed)
            }
            let listening = start.duration(to: .now).seconds
            if let idle {
                let counts = await count(idle)
                precondition(
                    counts == (storedCount, eventCount - storedCount), "the listener that never read has \(counts)")
            }
            print("until all is told, s=\(sending)")
            let memory = try peakMegabytes() - memoryBefore
            precondition(memory <= memoryLimit, "\(memory) MiB were added, and the limit is \(memoryLimit)")
            print("peak of the added memory, MiB=\(memory)")
            guard !readers.isEmpty else { return }
            print("until the last listener had received the last event, s=\(listening)")
            print("events received by a listener, on average=\(Double(heardCount) / Double(readers.count))")
            print("events reported as missed to a listener, on average=\(Double(missedCount) / Double(readers.count))")
        }
    }

    /// Counts the numbered events that arrive, in order, and those reported as missed.
    private static func count(_ events: AsyncStream<CatalogEvent>) async -> (heard: Int, missed: Int) {
        var (heard, missed) = (0, 0)
        for await event in events {
            switch event {
            case .eventsMissed(let count): missed += count
            case .purchase(.answered(let number, _)):
                precondition(Int(number) == heard + missed, "event \(number) comes after \(heard + missed) others")
                heard += 1
            default: preconditionFailure("unexpected event \(event)")
            }
        }
        return (heard, missed)
    }

    private static func residentMegabytes() throws -> Double { try megabytes("VmRSS:") }

    private static func peakMegabytes() throws -> Double { try megabytes("VmHWM:") }

    private static func megabytes(_ field: String) throws -> Double {
        let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
        let line = status.split(separator: "\n").first { $0.hasPrefix(field) }
        let kilobytes = line?.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap { Double($0) }
        return (kilobytes ?? .nan) / 1_024
    }
}
