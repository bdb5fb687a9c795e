import Foundation
import Measuring

/// How fast signed transactions and app receipts are verified and decoded, against the bare signature checks, Apple's own
/// library for Python and OpenSSL. Everything is measured in processes of its own that take turns; what is printed are
/// medians of the processor's time, as for one core.
@main
struct SignatureBenchmark {
    static func main() async throws {
        let arguments = Array(CommandLine.arguments.dropFirst())
        if arguments.first == "--measure", arguments.count >= 3 {
            let samples = Samples(folder: URL(filePath: arguments[2]))
            switch arguments[1] {
            case "receipt": try await ReceiptComparison.measureHere(arguments.dropFirst(3), samples)
            default: try await TokenComparison.measureHere(arguments[1], samples)
            }
            return
        }
        try await compare().exitIfMissed()
    }

    private static func compare() async throws -> Targets {
        try await withTemporaryFolder { folder in
            var targets = Targets()
            let samples = Samples(folder: folder)
            try await samples.write()
            try TokenComparison.compare(samples, &targets)
            try ReceiptComparison.compare(samples, &targets)
            return targets
        }
    }

    /// Turns that each contender gets.
    static let rounds = 5
}
