import ArgumentParser
import Foundation
import Vitrine
import VitrineCommandSupport
import VitrinePurchasing
import VitrineStoreSimulator

struct StoreReceiptCommand: ReportingCommand {
    static let configuration = CommandConfiguration(
        commandName: "receipt",
        abstract: "Issue an app receipt, or remove the one on the device.",
        discussion: """
            The receipt is stored on the device until the next purchase or refresh replaces it. With -o, it is also \
            written to a file, in DER. A volume purchase is an app that another buyer has bought for the customer; \
            with --revoked, that purchase has been withdrawn, and the receipt expires when it is issued.

            EXAMPLE:
              vitrine store receipt -o receipt.der
              vitrine store receipt --expired
              vitrine store receipt --remove
            """
    )

    @Flag(help: "Issue an expired receipt.")
    var expired = false

    @Flag(help: "Issue a receipt of an app whose volume purchase was revoked.")
    var revoked = false

    @Flag(help: "Issue a receipt of an app that another buyer bought for the customer (volume purchase).")
    var volumePurchase = false

    @Flag(help: "Issue no receipt, and remove the one on the device.")
    var remove = false

    @Option(
        name: [.customShort("o"), .customLong("output")],
        help: ArgumentHelp("The file to write the receipt to. (default: none)", valueName: "file"), completion: .file())
    var outputFile: String?

    @OptionGroup var home: HomeOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard !remove || !(expired || revoked || volumePurchase || outputFile != nil) else {
            throw ValidationError("--remove cannot be combined with options for a new receipt.")
        }
    }

    func report() async throws -> Report {
        let store = try home.folder.openStore()
        if remove {
            try await store.removeAppReceipt()
            return Report(lines: ["there is no app receipt on the device"], json: [:])
        }
        let receipt = try await store.refreshAppReceipt(
            ReceiptRequest(isExpired: expired, isRevoked: revoked, isVolumePurchase: volumePurchase))
        if let outputFile { try OutputFile.write(Array(receipt), to: outputFile) }
        return Report(
            lines: ["\(outputFile.map { "\($0): " } ?? "")an app receipt of \(receipt.count) bytes"],
            json: ["bytes": receipt.count, "file": outputFile])
    }
}

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

    @Flag(help: "Print the root certificate of app receipts instead.")
    var receipts = false

    @OptionGroup var options: StoreOptions

    func report(on store: SimulatedStore) throws(SimulatedStoreError) -> Report {
        let pem = receipts ? try store.receiptRootCertificate : try store.rootCertificate
        return Report(lines: pem.split(whereSeparator: \.isNewline).map(String.init), json: ["root": pem])
    }
}
