import Foundation
import Measuring

/// Time to list a catalog, in relation to a plain dictionary join of catalog and store, and to list it again after one product
/// has changed. Within a process both sides take turns; medians of several processes are printed. The exit status is 1 if
/// 10,000 products, the most that the App Store takes, exceed a target.
@main
struct ListingBenchmark {
    static let ratio = "listings in relation to the join"
    static let subscriptionRatio = "listings with a third subscriptions in relation to the join"
    static let change = "a change of one product, µs"
    private static let rounds = 5
    private static let targets = [ratio: 1.5, subscriptionRatio: 1.5, change: 100]

    static func main() async throws {
        let arguments = Array(CommandLine.arguments.dropFirst())
        let count = arguments.dropFirst().first.flatMap { Int($0) } ?? 0
        switch arguments.first {
        case "--measure-merging": try Merging.measureHere(productCount: count)
        case "--measure-changing": try await Changing.measureHere(productCount: count)
        default:
            let missed = try compare("--measure-merging") + compare("--measure-changing")
            for name in missed { print("beyond the target: \(name)") }
            exit(missed.isEmpty ? 0 : 1)
        }
    }

    /// - Returns: Names of the figures beyond their targets.
    private static func compare(_ part: String) throws -> [String] {
        var figures = Figures()
        for _ in 0..<rounds { try figures.addRun([part, "10000"]) }
        print("10,000 products in catalog and store")
        for name in figures.names { print("  \(column(name, width: 72))", formatted(figures[name])) }
        return figures.names.filter { name in targets[name].map { figures[name] > $0 } ?? false }
    }
}
