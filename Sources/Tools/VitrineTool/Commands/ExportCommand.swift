import ArgumentParser
import Foundation
import Vitrine
import VitrineCatalog
import VitrineCommandSupport
internal import VitrineDeviceExchange
import VitrineEntitlements
import VitrineFileSystem
import VitrineSupport

struct ExportCommand: SessionCommand {
    static let configuration = CommandConfiguration(
        commandName: "export",
        abstract: "Write the whole ledger as one JSON document.",
        discussion: """
            With --key the document is sealed: 'vitrine import' with the same key accepts all of its entries, as long \
            as nothing in it is changed. An existing file is replaced only with --force. The document cannot be \
            written into the home.

            EXAMPLE:
              vitrine export -o ledger.json
              head -c 32 /dev/urandom > seal.key
              vitrine export --key seal.key -o ledger.json
            """
    )

    @Option(
        name: [.customShort("o"), .long],
        help: ArgumentHelp("The file to write. (default: standard output)", valueName: "file"), completion: .file())
    var outputFile: String?

    @Flag(help: "Replace the file if it exists.")
    var force = false

    @OptionGroup var seal: SealOptions

    @OptionGroup var session: SessionOptions

    var activity: String? { "writing the ledger" }

    func report() async throws -> Report {
        let key = try seal.key(home: session.home.folder, document: outputFile)
        if let outputFile { try checkOutput(outputFile) }
        return try await OpenHome.open(session).use { manager, _ in try await report(manager, key) }
    }

    private func checkOutput(_ path: String) throws(ToolFailure) {
        guard !session.home.folder.contains(path) else {
            throw ToolFailure(
                status: .usage, reason: "\(path): the document must not be in the home whose ledger it contains")
        }
        guard force || FileStatus(URL(filePath: path, directoryHint: .notDirectory))?.isRegularFile != true else {
            throw ToolFailure(status: .no, reason: "\(path) already exists and is not replaced without --force")
        }
    }

    private func report(_ manager: CatalogManager, _ key: LedgerSealKey?) async throws -> Report {
        let exported = try await manager.ledger.export()
        let document = key.map { exported.sealed(with: $0) } ?? exported
        let bytes = Array(try document.json()) + [UInt8(ascii: "\n")]
        guard let outputFile else { return Report(lines: [], json: JSONObject(document), bytes: bytes) }
        try OutputFile.write(bytes, to: outputFile, access: .owner)
        return Report(
            lines: ["\(outputFile): \(document.entries.count) entries"],
            json: ["entries": document.entries.count, "file": outputFile])
    }
}

struct ImportCommand: SessionCommand {
    static let configuration = CommandConfiguration(
        commandName: "import",
        abstract: "Record the entries of an exported ledger that the home's ledger lacks.",
        discussion: """
            Either all entries are recorded or none; importing twice changes nothing. Data signed by the store is \
            verified again. Grants, deposits of units into wallets, and credits that the catalog does not confirm have \
            no proof: they are imported only from a document that was sealed with the key of --key. The exit status is \
            1 if an entry cannot be trusted or contradicts this ledger.

            EXAMPLE:
              vitrine import ledger.json
              vitrine import --key seal.key ledger.json
            """
    )

    @Argument(
        help: ArgumentHelp("The file that 'vitrine export' wrote; - is standard input.", valueName: "file"),
        completion: .file())
    var file: String

    @OptionGroup var seal: SealOptions

    @OptionGroup var session: SessionOptions

    var activity: String? { "reading a ledger" }

    func report() async throws -> Report {
        let key = try seal.key(home: session.home.folder, document: file)
        let document = try document()
        return try await OpenHome.open(session).use { manager, _ in
            do {
                let new = try await manager.ledger.importDocument(document, sealedWith: key)
                return Report(
                    lines: ["\(file): \(document.entries.count) entries, \(new) of them new"],
                    json: ["entries": document.entries.count, "new": new])
            } catch let error as LedgerImportError {
                throw ToolFailure(
                    status: error.code == .storage ? .inputOutput : .no, reason: "\(file): \(error.reason)")
            }
        }
    }

    private func document() throws -> LedgerDocument {
        do {
            return try LedgerDocument(json: InputFile.read(file, limit: LedgerDocument.sizeLimit))
        } catch let error as LedgerImportError {
            throw ToolFailure(status: .unusableData, reason: "\(file): \(error.reason)")
        }
    }
}
