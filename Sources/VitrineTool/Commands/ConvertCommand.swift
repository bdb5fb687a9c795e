import ArgumentParser
import Foundation
import ProductCatalog
import PropertyList

struct ConvertCommand: ReportingCommand {
    static let configuration = CommandConfiguration(
        commandName: "convert",
        abstract: "Write a property list in another format.",
        discussion: """
            Any property list in XML or binary is read. Keys are sorted, each is written once with its last value, and \
            equal property lists give equal bytes. JSON has no dates, data, UIDs or numbers that are not finite: a file \
            with one of these is refused with its place.

            EXAMPLE:
              vitrine convert Catalogs/Voyager.plist --to binary -o Voyager.bplist
            """
    )

    enum Format: String, CaseIterable, ExpressibleByArgument {
        case xml, binary, json
    }

    @Argument(help: ArgumentHelp("The property list, or - for standard input.", valueName: "file"))
    var file: String

    @Option(help: ArgumentHelp("The format to write.", valueName: "format"))
    var to: Format

    @Option(
        name: [.customShort("o"), .long],
        help: ArgumentHelp("The file to write. (default: standard output)", valueName: "file"))
    var outputFile: String?

    @OptionGroup var output: OutputOptions

    func report() throws -> Report {
        let document = try read()
        let bytes: [UInt8]
        switch to {
        case .json: bytes = Array(try JSONText.write(document.root, path: file).utf8)
        case .xml: bytes = try write(document, as: .xml)
        case .binary: bytes = try write(document, as: .binary)
        }
        guard let outputFile else {
            return Report(
                lines: [], json: Document(format: to.rawValue, bytes: bytes.count), status: .yes, bytes: bytes)
        }
        do {
            try DurableFile.write(Data(bytes), to: URL(filePath: outputFile, directoryHint: .notDirectory))
        } catch {
            throw ToolFailure(
                status: .inputOutput, reason: "\(outputFile) cannot be written: \(BoundedFile.reason(for: error))")
        }
        return Report(
            lines: ["\(outputFile): \(bytes.count) bytes of \(to.rawValue)"],
            json: Document(format: to.rawValue, bytes: bytes.count, file: outputFile), status: .yes)
    }

    private func read() throws -> PropertyListDocument {
        let limits = PropertyListLimits()
        let data: Data
        do {
            data =
                file == "-"
                ? try BoundedFile.readStandardInput(limit: limits.size)
                : try BoundedFile.read(URL(filePath: file, directoryHint: .notDirectory), limit: limits.size)
        } catch {
            throw ToolFailure(status: error.isMissing ? .noInput : .inputOutput, reason: "\(file): \(error.reason)")
        }
        do {
            return try PropertyListDocument(bytes: Array(data), limits: limits)
        } catch {
            throw ToolFailure(error, path: file)
        }
    }

    private func write(_ document: PropertyListDocument, as format: PropertyListFormat) throws -> [UInt8] {
        do {
            return try document.bytes(as: format)
        } catch {
            throw ToolFailure(error, path: file)
        }
    }

    private struct Document: Encodable {
        let format: String
        let bytes: Int
        var file: String?
    }
}

extension ToolFailure {
    fileprivate init(_ error: PropertyListError, path: String) {
        let place = error.position.map { "\(path):\($0)" } ?? path
        self.init(status: .unusableData, reason: "\(place): \(error.reason)")
    }
}
