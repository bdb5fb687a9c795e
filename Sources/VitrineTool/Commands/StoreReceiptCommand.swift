import ArgumentParser
import Foundation
import Purchasing
import StoreSimulator
import Vitrine

struct StoreReceiptCommand: ReportingCommand {
    static let configuration = CommandConfiguration(
        commandName: "receipt",
        abstract: "Have the store issue an app receipt, or take the one on the device away.",
        discussion: """
            The receipt then lies on the device, until the next purchase or refresh brings another. It is written as DER. \
            A volume purchase is an app that somebody has bought for the customer; revoked is one that they have taken \
            back: its receipt ends when it is issued.

            EXAMPLE:
              vitrine store receipt -o receipt.der
              vitrine store receipt --expired
              vitrine store receipt --remove
            """
    )

    @Flag(help: "Issue one that has expired.")
    var expired = false

    @Flag(help: "Issue one of an app that was taken back.")
    var revoked = false

    @Flag(help: "Issue one of an app that was bought for the customer.")
    var volumePurchase = false

    @Flag(help: "Issue none, and take the one on the device away.")
    var remove = false

    @Option(
        name: [.customShort("o"), .customLong("output")],
        help: ArgumentHelp("The file to write the receipt to. (default: none)", valueName: "file"))
    var outputFile: String?

    @OptionGroup var home: HomeOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard !remove || !(expired || revoked || volumePurchase || outputFile != nil) else {
            throw ValidationError("--remove issues no receipt.")
        }
    }

    func report() async throws -> Report {
        let store: SimulatedStore
        do {
            store = try SimulatedStore(folder: home.folder.store)
            if remove {
                try await store.removeAppReceipt()
                return Report(lines: ["there is no app receipt on the device"], json: Document(), status: .yes)
            }
        } catch {
            throw ToolFailure(error)
        }
        let receipt: Data
        do {
            receipt = try await store.refreshAppReceipt(
                ReceiptRequest(isExpired: expired, isRevoked: revoked, isVolumePurchase: volumePurchase))
        } catch {
            throw ToolFailure(status: error.exitStatus, reason: error.reason)
        }
        if let outputFile { try OutputFile.write(Array(receipt), to: outputFile) }
        return Report(
            lines: ["\(outputFile.map { "\($0): " } ?? "")an app receipt of \(receipt.count) bytes"],
            json: Document(bytes: receipt.count, file: outputFile), status: .yes)
    }

    private struct Document: Encodable {
        var bytes: Int?
        var file: String?
    }
}
