import Foundation
import Measuring
import VitrineEntitlementsSQLite

/// How fast a ledger takes in purchases, against SQLite itself; how fast what a customer owns is told, brought up to
/// date, and computed at launch; and how long a manager takes until it knows that. Everything is measured in processes of
/// its own that take turns; medians are printed. The exit status is 1 if a target is missed.
@main
struct LedgerBenchmark {
    static func main() async throws {
        let arguments = Array(CommandLine.arguments.dropFirst())
        switch arguments.first {
        case "--measure-writing": try await Writing.measureHere(arguments.dropFirst())
        case "--measure-owning": try await Owning.measureHere(arguments.dropFirst())
        case "--measure-examination": try await Owning.measureExaminationHere(arguments.dropFirst())
        case "--measure-launching": try await Launching.measureHere(arguments.dropFirst())
        case "--measure-exchange": try await Exchanging.measureHere(arguments.dropFirst())
        default: try await compare(arguments)
        }
    }

    /// - Parameter parts: Which of `writing`, `owning`, `products`, `launching` and `exchange` to measure; all of them where none is named.
    private static func compare(_ parts: [String]) async throws {
        func measures(_ part: String) -> Bool { parts.isEmpty || parts.contains(part) }
        let targets = try await withTemporaryFolder { folder in
            var targets = Targets()
            if measures("writing") { try Writing.compare(in: folder, &targets) }
            if measures("owning") { try await Owning.compare(.mostlyCoins, in: folder, &targets) }
            if measures("products") { try await Owning.compare(.onlyProducts, in: folder, &targets) }
            if measures("launching") { try Launching.compare(in: folder, &targets) }
            if measures("exchange") { try Exchanging.compare(in: folder, &targets) }
            return targets
        }
        targets.exitIfMissed()
    }
}
