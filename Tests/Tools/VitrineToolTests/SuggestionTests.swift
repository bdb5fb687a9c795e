import Testing
import VitrineTestSupport

/// Suggestions for misspelled commands, products and wallets.
@Suite(.blocksThreads, .hangLimit) struct SuggestionTests {
    @Test(arguments: [
        ("lod", "Unknown command 'lod'. Did you mean 'load'?"),
        ("store advnce 30d", "Unknown command 'advnce'. Did you mean 'advance'?"),
        ("content dwnload rome", "Unknown command 'dwnload'. Did you mean 'download'?"),
        ("catalog vrify a.plist", "Unknown command 'vrify'. Did you mean 'verify'?"),
        ("help stre", "Unknown command 'stre'. Did you mean 'store'?"),
        ("load --jsn", "Unknown option '--jsn'. Did you mean '--json'?"),
        ("frobnicate", "Unknown command 'frobnicate'."),
        ("store frobnicate", "Unknown command 'frobnicate'."),
        ("help frobnicate", "Unknown command 'frobnicate'."),
        ("help store frobnicate", "Unknown command 'frobnicate'."),
        ("help store advnce", "Unknown command 'advnce'. Did you mean 'advance'?"),
        ("help content a.zip", "Unknown command 'a.zip'."),
        ("help buy rome", "Unknown command 'rome'."),
        ("help -- frobnicate", "Unknown command 'frobnicate'."),
        ("frobnicate --help", "Unknown command 'frobnicate'."),
        ("--help frobnicate", "Unknown command 'frobnicate'."),
        ("store -h frobnicate", "Unknown command 'frobnicate'."),
        ("--version frobnicate", "Unknown command 'frobnicate'."),
    ])
    func `an unknown command, also beside a request for help, is an error as others are, with the nearest command`(
        command: String, message: String
    ) throws {
        let result = try Tool().run(command.split(separator: " ").map(String.init))

        #expect(result.status == 64)
        #expect(result.errors.hasPrefix("vitrine: error: \(message)\n"), "\(result.errors)")
        #expect(result.output.isEmpty)
    }

    @Test(arguments: [
        ("help", "vitrine <subcommand>"), ("help help", "vitrine help "), ("help --help", "vitrine <subcommand>"),
        ("--help help", "vitrine <subcommand>"), ("help store", "vitrine store <subcommand>"),
        ("help store advance", "vitrine store advance "), ("help content", "vitrine content <subcommand>"),
        ("content a.zip --help", "vitrine content list "), ("buy rome --help", "vitrine buy "),
    ])
    func `help for a command that exists is printed with status 0`(command: String, usage: String) throws {
        let result = try Tool().run(command.split(separator: " ").map(String.init))

        #expect(result.status == 0)
        #expect(result.output.contains("USAGE: \(usage)"), "\(result.output)")
        #expect(result.errors.isEmpty)
    }

    @Test(
        arguments: [
            ("buy com.example.voyager.lisbn", 1, "lisbon"), ("buy lisbon", 1, "lisbon"), ("why lisbn", 1, "lisbon"),
            ("owned com.example.voyager.lisbn", 1, "lisbon"),
            ("why com.example.voyager.lisbn", 1, "lisbon"), ("unlock com.example.voyager.lisbn", 1, "lisbon"),
            ("store price com.example.voyager.lisbn 1.99", 1, "lisbon"),
            ("store withdraw com.example.voyager.lisbn", 1, "lisbon"),
            ("store promote com.example.voyager.lisbn", 1, "lisbon"),
        ] as [(String, Int32, String)])
    func `a command for an unknown product asks for the product with the nearest identifier`(
        command: String, status: Int32, product: String
    ) throws {
        let result = try Tool.voyager().run(command.split(separator: " ").map(String.init))

        #expect(result.status == status)
        let text = (result.output + result.errors).lowercased()
        #expect(text.contains("did you mean \"\(String.voyager(product))\"?"), "\(text)")
    }

    @Test(arguments: ["wallet coin", "spend coin 5 --token map"])
    func `a command for an unknown wallet is refused and asks for the wallet with the nearest name`(
        command: String
    ) throws {
        let result = try Tool.voyager().run(command.split(separator: " ").map(String.init))

        #expect(result.status == 1)
        let reason = "neither the catalog nor the ledger contains a wallet \"coin\"; did you mean \"coins\"?"
        #expect(result.errors == "vitrine: error: \(reason)\n")
    }
}
