import ArgumentParser
import Foundation
import VitrineCatalog
import VitrineCommandSupport
import VitrinePropertyList
import VitrineSupport

struct ConvertCommand: ReportingCommand {
    static let configuration = CommandConfiguration(
        commandName: "convert",
        abstract: "Write a catalog or property list in another format.",
        discussion: """
            Reads any property list in XML or binary format, and JSON. The keys of each dictionary are sorted, a key \
            that occurs twice is written once with its last value, and equal property lists give equal bytes. JSON has \
            no data, UIDs or numbers that are not finite, and a property list has no null: a file with one of these is \
            refused with its position. The dates of a catalog are texts in JSON, "2030-03-01T00:00:00Z" under expires, \
            beforeDate and until; other dates are refused.

            With --from, a catalog is made from a file of MKStoreKit or StoreHelper, from identifiers (an array of \
            them, or a dictionary from identifiers to strings), or from a StoreKit configuration. The command lists \
            the values that such a file does not contain; add them to the catalog by hand. The exit status is 1 if a \
            product had to be left out.

            With --to storekit, a StoreKit configuration is made of a catalog, which the simulated store sells and Xcode \
            opens. The prices are those of --prices, or placeholders; the command reports their number, and what else the \
            catalog does not say.

            EXAMPLES:
              vitrine convert Catalogs/Voyager.plist --to binary -o Voyager.bplist
              vitrine convert Catalogs/Voyager.plist --to json -o Voyager.json
              vitrine convert Catalogs/Voyager.storekit --from storekit --to xml \\
                -o Starter.plist
              vitrine convert Catalogs/Voyager.plist --to storekit \\
                --prices prices.csv -o Voyager.storekit
            """
    )

    enum Format: String, CaseIterable, ExpressibleByArgument {
        case xml, binary, json, storekit

        /// `nil` for a StoreKit configuration, which is made of a catalog.
        fileprivate var written: PropertyListFormat? {
            switch self {
            case .xml: .xml
            case .binary: .binary
            case .json: .json
            case .storekit: nil
            }
        }
    }

    enum Source: String, CaseIterable, ExpressibleByArgument {
        case mkstorekit, storehelper, identifiers, storekit
    }

    @Argument(
        help: ArgumentHelp("The property list or JSON, or - for standard input.", valueName: "file"),
        completion: .file())
    var file: String

    @Option(help: ArgumentHelp("The format to write.", valueName: "format"))
    var to: Format

    @Option(
        help: ArgumentHelp(
            "Make a catalog from a file of this kind; storekit is a StoreKit configuration.", valueName: "kind"))
    var from: Source?

    @Option(
        help: ArgumentHelp(
            "With --to storekit, the prices: lines product,price, or a property list or JSON from products to prices.",
            valueName: "file"), completion: .file())
    var prices: String?

    @Option(
        name: [.customShort("o"), .long],
        help: ArgumentHelp("The file to write. (default: standard output)", valueName: "file"), completion: .file())
    var outputFile: String?

    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard prices == nil || to == .storekit else { throw ValidationError("--prices needs --to storekit.") }
        guard to != .storekit || from != .storekit else {
            throw ValidationError("A StoreKit configuration is not made of another one: leave out --from storekit.")
        }
    }

    func report() throws -> Report {
        let (document, starter, diagnostics) = try document()
        var remarks = diagnostics.flatMap { $0.lines(path: file) } + (starter?.remarks ?? [])
        if to != .storekit, document.format == .json, document.root.isStoreConfiguration {
            remarks.append("the StoreKit configuration is written as it is: --from storekit makes a catalog of it")
        }
        var isMissingProducts = starter?.isMissingProducts == true
        let bytes: [UInt8]
        if let format = to.written {
            bytes = try write(document, as: format)
            remarks += repetitions(in: document)
        } else {
            let draft = try StoreFile.draft(of: document, path: file, prices: prices)
            bytes = draft.bytes
            remarks += draft.remarks
            isMissingProducts = isMissingProducts || draft.isMissingProducts
        }
        let status = isMissingProducts ? ExitStatus.no : .yes
        guard let outputFile else {
            return Report(
                lines: [], json: ["format": to.rawValue, "bytes": bytes.count], status: status, bytes: bytes,
                remarks: remarks)
        }
        try OutputFile.write(bytes, to: outputFile)
        return Report(
            lines: ["\(outputFile): \(bytes.count) bytes of \(to.rawValue)"],
            json: ["format": to.rawValue, "bytes": bytes.count, "file": outputFile], status: status, remarks: remarks)
    }

    /// Returns the property list to write, and the starter catalog with its remarks if the input is converted to a
    /// catalog.
    private func document() throws -> (PropertyListDocument, StarterCatalog?, diagnostics: [Diagnostic]) {
        guard let from else { return (try parse(read()), nil, []) }
        let starter: StarterCatalog
        var diagnostics: [Diagnostic] = []
        switch from {
        case .storekit:
            do {
                starter = StarterCatalog(try StoreConfiguration(data: read()))
            } catch let error as StoreConfigurationError {
                throw ToolFailure(status: .unusableData, reason: "\(file): \(error)")
            }
        case .mkstorekit, .storehelper, .identifiers:
            let document = try parse(read())
            guard from.isForm(of: document) else {
                throw ToolFailure(status: .unusableData, reason: "\(file) is not \(from.form)")
            }
            let catalog = Catalog(document: document)
            starter = StarterCatalog(catalog)
            diagnostics = catalog.generalDiagnostics
        }
        return (try parse(Data(starter.xml.utf8)), starter, diagnostics)
    }

    private func read() throws -> Data { try InputFile.read(file, limit: PropertyListLimits().size) }

    private func parse(_ data: Data) throws -> PropertyListDocument {
        do {
            return try PropertyListDocument(bytes: Array(data))
        } catch {
            throw ToolFailure(error, path: file)
        }
    }

    private static let mostRepetitions = 20

    /// Returns remarks about keys whose earlier values are not written.
    private func repetitions(in document: PropertyListDocument) -> [String] {
        let keys = document.root.allRepeatedKeys.sorted { $0.position < $1.position }
        return keys.prefix(Self.mostRepetitions).map {
            "\(file):\($0.position): warning: the key \(($0.string ?? "").quoted) is repeated, and only its last value is written"
        } + (keys.count > Self.mostRepetitions ? ["\(keys.count - Self.mostRepetitions) more keys are repeated"] : [])
    }

    private func write(_ document: PropertyListDocument, as format: PropertyListFormat) throws -> [UInt8] {
        do {
            return try document.bytes(as: format)
        } catch {
            throw ToolFailure(error, path: file)
        }
    }
}

extension ConvertCommand.Source {
    fileprivate var form: String {
        switch self {
        case .mkstorekit: "a file of MKStoreKit"
        case .storehelper: "a file of StoreHelper"
        case .identifiers: "a list of product identifiers"
        case .storekit: "a StoreKit configuration"
        }
    }

    fileprivate func isForm(of document: PropertyListDocument) -> Bool {
        switch self {
        case .mkstorekit: CatalogDialect.isMKStoreKit(document)
        case .storehelper: CatalogDialect.isStoreHelper(document)
        case .identifiers: CatalogDialect.isIdentifierList(document)
        case .storekit: false
        }
    }
}

extension ToolFailure {
    fileprivate init(_ error: PropertyListError, path: String) {
        let location = error.position.map { "\(path):\($0)" } ?? path
        self.init(status: .unusableData, reason: "\(location): \(error.reason)")
    }
}
