internal import FuzzSupport

/// Reads bytes as the facts of a device's document, and gives them to the rules of ledgers and of the app's server.
@main
struct FuzzFacts {
    static func main() {
        runFuzzer { start, count in
            guard let check = FactsCheck(Array(UnsafeBufferPointer(start: start, count: count))) else {
                return Verdict.beside
            }
            check.run()
            return Verdict.usable
        }
    }
}
