import ArgumentParser
import StoreSimulator

struct StoreRootCommand: StoreReportingCommand {
    static let configuration = CommandConfiguration(
        commandName: "root",
        abstract: "Print the store's root certificate in PEM.",
        discussion: """
            Whoever is to trust the store's signatures has to be given this certificate.

            EXAMPLE:
              vitrine store root > root.pem
            """
    )

    @OptionGroup var home: HomeOptions
    @OptionGroup var output: OutputOptions

    func report(on store: SimulatedStore) throws(SimulatedStoreError) -> Report {
        let pem = try store.rootCertificate
        return Report(
            lines: pem.split(whereSeparator: \.isNewline).map(String.init), json: Document(root: pem), status: .yes)
    }

    private struct Document: Encodable {
        let root: String
    }
}
