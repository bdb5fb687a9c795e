import CSQLiteFloor
import Foundation
import Measuring

/// Time of a year of a thousand monthly subscriptions in a simulated store: twelve thousand renewals, each stored durably,
/// signed with its renewal information, and received by a listener. It is compared with the same payloads signed alone, plus
/// the same rows written with SQLite alone. Each is measured in processes of its own that take turns; medians are printed. The
/// exit status is 1 if the store exceeds its target.
@main
struct StoreBenchmark {
    private static let rounds = 5
    /// Limit of the store's time, as a multiple of the time of signatures and rows.
    private static let limit = 2.0

    private enum Contender: String, CaseIterable {
        case store, signing, signatures, rows

        var description: String {
            switch self {
            case .store: "simulated store, with a listener for each customer"
            case .signing: "JSONEncoder and swift-crypto, the same payloads signed"
            case .signatures: "of these, the P-256 signatures alone"
            case .rows: "SQLite, the same rows in a transaction for each month"
            }
        }
    }

    static func main() async throws {
        let arguments = Array(CommandLine.arguments.dropFirst())
        if arguments.first == "--measure", arguments.count == 3, let contender = Contender(rawValue: arguments[1]) {
            return try await measureHere(contender, SubscriptionYear(folder: URL(filePath: arguments[2])))
        }
        let figures = try await compare()
        print("\(SubscriptionYear.renewalCount) renewals of \(SubscriptionYear.customerCount) subscriptions in a year")
        for contender in Contender.allCases {
            print("  \(column(contender.description, width: 56))", formatted(figures[contender.rawValue]), "s")
        }
        let ratio = figures["store"] / (figures["signing"] + figures["rows"])
        print(
            "  the store takes \(formatted(ratio))× as long as signing and rows; at most \(formatted(limit))× is asked")
        guard ratio <= limit else { exit(1) }
    }

    private static func compare() async throws -> Figures {
        try await withTemporaryFolder { folder in
            let year = SubscriptionYear(folder: folder)
            try await year.prepare()
            var figures = Figures()
            for _ in 0..<rounds {
                for contender in Contender.allCases {
                    try figures.addRun(["--measure", contender.rawValue, folder.path(percentEncoded: false)])
                }
            }
            return figures
        }
    }

    /// Prints the seconds that a contender takes.
    private static func measureHere(_ contender: Contender, _ year: SubscriptionYear) async throws {
        let seconds =
            switch contender {
            case .store: try await year.measureStore()
            case .signing: try Signing(of: year).measure()
            case .signatures: try Signing(of: year).measureSignatures()
            case .rows: try measureRows(of: year)
            }
        print("\(contender.rawValue)=\(seconds)")
    }

    private static func measureRows(of year: SubscriptionYear) throws -> Double {
        let seconds = floor_store_renewals(
            SubscriptionYear.database(of: try year.copyOfStore()), SubscriptionYear.database(of: year.renewed),
            Int32(SubscriptionYear.renewalCount), Int32(SubscriptionYear.customerCount))
        precondition(seconds > 0, "SQLite has failed")
        return seconds
    }
}
