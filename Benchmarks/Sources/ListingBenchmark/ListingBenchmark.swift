import Measuring

/// How long it takes to list a catalog, against a plain join of catalog and store by a dictionary; and to list it anew after
/// one product has changed. Within a process what is compared takes turns; medians of several processes are printed.
@main
struct ListingBenchmark {
    private static let rounds = 5

    static func main() async throws {
        let arguments = Array(CommandLine.arguments.dropFirst())
        let count = arguments.dropFirst().first.flatMap { Int($0) } ?? 0
        switch arguments.first {
        case "--measure-merging": try Merging.measureHere(productCount: count)
        case "--measure-changing": try await Changing.measureHere(productCount: count)
        default:
            for count in [10_000, 100_000] { try compare("--measure-merging", productCount: count) }
            for count in [1_000, 10_000] { try compare("--measure-changing", productCount: count) }
        }
    }

    private static func compare(_ part: String, productCount: Int) throws {
        var figures = Figures()
        for _ in 0..<rounds { try figures.addRun([part, "\(productCount)"]) }
        print("\(productCount) products in catalog and store")
        for name in figures.names { print("  \(column(name, width: 72))", words(figures[name])) }
    }
}
