import ArgumentParser
import StoreSimulator

struct StoreRootCommand: StoreReportingCommand {
    static let configuration = CommandConfiguration(
        commandName: "root",
        abstract: "Print the store's root certificate in PEM.",
        discussion: """
            A program that is to trust the store's signatures needs this certificate. App receipts have a root \
            certificate of their own.

            EXAMPLE:
              vitrine store root > root.pem
              vitrine store root --receipts > receipt-root.pem
            """
    )

    @Flag(help: "Print the root certificate of app receipts.")
    var receipts = false

    @OptionGroup var home: HomeOptions
    @OptionGroup var output: OutputOptions

    func report(on store: SimulatedStore) throws(SimulatedStoreError) -> Report {
        let pem = receipts ? try store.receiptRootCertificate : try store.rootCertificate
        return Report(
            lines: pem.split(whereSeparator: \.isNewline).map(String.init), json: Document(root: pem), status: .yes)
    }

    private struct Document: Encodable {
        let root: String
    }
}
