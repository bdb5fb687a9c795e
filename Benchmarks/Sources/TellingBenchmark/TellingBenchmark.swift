import Foundation
import Measuring
import SimulatedShop
import Vitrine

/// What a hundred thousand events of one manager take without listeners, with one, and with a thousand of whom one never
/// reads. Each listener checks that it hears everything in order, or how much it has missed. Each case has a process of its
/// own.
@main
struct TellingBenchmark {
    private static let eventCount = 100_000
    /// What is kept for a listener that does not read.
    private static let keptCount = 10_000
    /// In MiB: twice what ten thousand events and a thousand listeners take.
    private static let memoryLimit = 32.0

    static func main() async throws {
        let arguments = Array(CommandLine.arguments.dropFirst())
        if arguments.first == "--measure", let count = arguments.dropFirst().first.flatMap({ Int($0) }) {
            return try await measureHere(listenerCount: count)
        }
        for count in [0, 1, 1_000] {
            var figures = Figures()
            try figures.addRun(["--measure", "\(count)"])
            print("\(eventCount) events, \(count) listeners\(count > 1 ? ", of whom one never reads" : "")")
            for name in figures.names { print("  \(column(name, width: 56))", words(figures[name])) }
        }
    }

    private static func measureHere(listenerCount: Int) async throws {
        try await withTemporaryFolder { folder in
            let manager = try await SimulatedShop.manager(productCount: 1, in: folder)
            let idle = listenerCount > 1 ? manager.events() : nil
            let readers = (0..<(listenerCount - (idle == nil ? 0 : 1))).map { _ in
                let events = manager.events()
                return Task { await heard(events) }
            }
            let memoryBefore = try residentMegabytes()
            let start = ContinuousClock.now
            // There is no such product: nothing happens but that the call is answered.
            for number in 0..<eventCount { _ = await manager.purchase("\(number)") }
            let telling = start.duration(to: .now).seconds
            await manager.stop()
            var (heardCount, missedCount) = (0, 0)
            for reader in readers {
                let counts = await reader.value
                precondition(counts.heard + counts.missed == eventCount, "a listener has lost events without a word")
                (heardCount, missedCount) = (heardCount + counts.heard, missedCount + counts.missed)
            }
            let listening = start.duration(to: .now).seconds
            if let idle {
                let counts = await heard(idle)
                precondition(counts == (keptCount, eventCount - keptCount), "who has not read has \(counts)")
            }
            print("until all is told, s=\(telling)")
            let memory = try peakMegabytes() - memoryBefore
            precondition(memory <= memoryLimit, "\(memory) MiB came with it, and the limit is \(memoryLimit)")
            print("the memory that came with it at most, MiB=\(memory)")
            guard !readers.isEmpty else { return }
            print("until the last listener had heard the last of it, s=\(listening)")
            print("events that a listener was given, on average=\(Double(heardCount) / Double(readers.count))")
            print("events that a listener was told it had missed=\(Double(missedCount) / Double(readers.count))")
        }
    }

    /// How many of the numbered events come, in order, and how many are said to be missing.
    private static func heard(_ events: AsyncStream<CatalogEvent>) async -> (heard: Int, missed: Int) {
        var (heard, missed) = (0, 0)
        for await event in events {
            switch event {
            case .eventsMissed(let count): missed += count
            case .purchaseAnswered(let number, _):
                precondition(Int(number) == heard + missed, "event \(number) comes after \(heard + missed) others")
                heard += 1
            default: preconditionFailure("nobody has made \(event)")
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
