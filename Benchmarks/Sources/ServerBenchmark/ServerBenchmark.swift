import Foundation
import Measuring

/// Compares look-ups in the App Store Server API of a simulated store with a route of Hummingbird that answers the same
/// bytes ready-made, and first look-ups, of a different transaction each, with signing the same payload without a server
/// and a store. wrk makes the requests, over 32 connections with one token, on the same machine.
@main
struct ServerBenchmark {
    private static let rounds = 5
    /// Seconds of each run of wrk.
    private static let runLength = 4

    static func main() async throws {
        let arguments = CommandLine.arguments.dropFirst()
        switch arguments.first {
        case "store": try await ServedProcess.serveStore(in: URL(filePath: arguments[2], directoryHint: .isDirectory))
        case "ready": try await ServedProcess.serveReady()
        default: try await compareInFolder()
        }
    }

    private static func compareInFolder() async throws {
        try await withTemporaryFolder { folder in try await compare(in: folder) }
    }

    private static func compare(in folder: URL) async throws {
        print("look-ups in the App Store Server API, \(rounds) rounds of \(runLength) s with wrk, 32 connections")
        let sample = try await SampleStore(in: folder)
        let store = try ServedProcess(["store", folder.path])
        let answer = try store.answer(about: sample.first)
        let ready = try ServedProcess(["ready"], input: answer)
        let signing = try BareSigning(of: answer)
        var rates: [String: [Double]] = [:]
        _ = try store.requests(about: sample.first, during: 1)
        for _ in 0..<rounds {
            let first = try ServedProcess(["store", folder.path])
            rates["ready-made", default: []].append(try ready.requests(about: sample.first, during: runLength))
            rates["store", default: []].append(try store.requests(about: sample.first, during: runLength))
            rates["signing alone", default: []].append(await signing.rate(during: runLength))
            rates["store, first look-ups", default: []].append(
                try first.firstRequests(from: sample.first, during: runLength, atMost: sample.count))
            first.end()
        }
        for name in ["ready-made", "store", "signing alone", "store, first look-ups"] {
            let sorted = (rates[name] ?? []).sorted()
            print("  \(column(name, width: 24))\(formatted(sorted[sorted.count / 2], digits: 0)) a second")
        }
        func ratios(_ name: String, to other: String) -> [Double] {
            zip(rates[name] ?? [], rates[other] ?? []).map { $0 / $1 }
        }
        let before = store.memory
        var count = 0.0
        while count < 1_000_000 { count += try store.requests(about: sample.first, during: 10) * 10 }
        let after = store.memory
        print(
            "  memory: \(formatted(before, digits: 1)) MiB, and \(formatted(after, digits: 1)) MiB after "
                + "\(formatted(count, digits: 0)) requests more")
        var targets = Targets()
        targets.check("look-ups, against a ready-made answer", ratios("store", to: "ready-made"), .atLeast(0.5))
        targets.check(
            "first look-ups, against signing alone on all cores",
            ratios("store, first look-ups", to: "signing alone"), .atLeast(0.5))
        targets.check("memory after a million requests", [after / before], .atMost(1.1))
        for process in [store, ready] { process.end() }
        targets.exitIfMissed()
    }
}
