import Foundation
import Testing
import VitrineReceipts
import VitrineStoreSimulator
import VitrineTestSupport

/// Command line tool, run as a process in a temporary folder.
struct Tool: Sendable {
    struct Result: Sendable {
        let status: Int32
        let output: String
        let errors: String

        var lines: [String] { output.split(separator: "\n").map(String.init) }

        /// JSON document on standard output.
        var json: [String: Any] {
            get throws {
                try #require(try JSONSerialization.jsonObject(with: Data(output.utf8)) as? [String: Any])
            }
        }
    }

    /// Working directory of the tool.
    let folder: TemporaryFolder
    /// Executable that is run: the tool, or a helper with the same commands.
    var executable = Self.binary
    /// Folder for the output of the tool, separate from the files that it writes.
    private let captures: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        captures = try TemporaryFolder()
    }

    private static let template = ToolTemplate { try newVoyager(receiptIdentity: .sample) }

    /// Returns a tool with a home for the sample catalog and store, whose transactions are numbered from 1. All such homes
    /// have the same keys and the same device.
    static func voyager() throws -> Tool { try template.tool() }

    /// Returns such a tool with keys and a device of its own, whose creation takes longer.
    ///
    /// - Parameter receiptIdentity: Identity that signs app receipts; `nil` for one of this store alone, which is created
    ///   with the first receipt.
    static func newVoyager(receiptIdentity: ReceiptSigningIdentity? = nil) throws -> Tool {
        let tool = try Tool()
        try SimulatedStore.create(
            in: tool.home.appending(path: "Store"),
            configuration: Data(contentsOf: Repository.sample("Voyager.storekit")),
            bundleIdentifier: VoyagerStore.bundleIdentifier, receiptIdentity: receiptIdentity, now: { Date() }, seed: 0)
        let result = try tool.run(
            "init", "--catalog", Repository.sample("Voyager.plist").path(), "--store",
            Repository.sample("Voyager.storekit").path(), "--content", Repository.samplePackages.path())
        #expect(result.status == 0, "\(result.errors)")
        return tool
    }

    var home: URL { folder[".vitrine"] }

    /// Helper in the same folder, which sells through the StoreKit adapter.
    var adapted: Tool {
        var helper = self
        helper.executable = Bundle.main.bundleURL.appending(path: "VitrineAdapterHelper")
        return helper
    }

    /// Removes the ledger, and the marks that a ledger existed, as on another device.
    func forgetLedger() throws {
        for name in try FileManager.default.contentsOfDirectory(atPath: home.path())
        where name.hasPrefix("ledger.") || ["opened.mark", "HostedContent", "Cache"].contains(name) {
            try FileManager.default.removeItem(at: home.appending(path: name))
        }
    }

    /// Replaces the ledger by that of a device of the same kind, which has read the store's purchases before there were
    /// any. What the store lists is not recorded either, because the store does not return the unfinished transactions.
    func replaceLedgerByEmptyOne() throws {
        try forgetLedger()
        let other = try Tool.voyager()
        try other.run("load")
        for name in ["ledger.sqlite", "opened.mark", "Installation"] {
            let place = home.appending(path: name)
            if FileManager.default.fileExists(atPath: place.path()) { try FileManager.default.removeItem(at: place) }
            try FileManager.default.copyItem(at: other.home.appending(path: name), to: place)
        }
        try run("store", "fail", "unfinished")
    }

    /// Runs the tool to its end.
    @discardableResult
    func run(_ arguments: String..., environment: [String: String] = [:]) throws -> Result {
        try run(arguments, environment: environment)
    }

    /// Runs the tool to its end.
    @discardableResult
    func run(_ arguments: [String], environment: [String: String] = [:]) throws -> Result {
        let (process, output, errors) = try start(arguments, environment: environment)
        process.waitUntilExit()
        return Result(
            status: process.terminationStatus,
            output: try String(contentsOf: output, encoding: .utf8),
            errors: try String(contentsOf: errors, encoding: .utf8))
    }

    /// Runs the tool, and kills it unless it ends within a time in seconds.
    func startUntilKilled(_ arguments: [String], after seconds: Double) throws -> (result: Result, isKilled: Bool) {
        let ended = DispatchSemaphore(value: 0)
        let (process, output, errors) = try start(arguments) { ended.signal() }
        if ended.wait(timeout: .now() + seconds) == .timedOut { kill(process.processIdentifier, SIGKILL) }
        process.waitUntilExit()
        let result = Result(
            status: process.terminationStatus,
            output: String(decoding: try Data(contentsOf: output), as: UTF8.self),
            errors: String(decoding: try Data(contentsOf: errors), as: UTF8.self))
        return (result, process.terminationReason == .uncaughtSignal)
    }

    /// Starts the tool, with its standard error read through a pipe.
    func startReadingErrors(_ arguments: String...) throws -> (process: Process, errors: LineReader) {
        let pipe = Pipe()
        let process = makeProcess(arguments, environment: [:])
        process.standardOutput = FileHandle.nullDevice
        process.standardError = pipe
        try process.run()
        return (process, LineReader(pipe.fileHandleForReading))
    }

    /// Starts the tool, with its standard output read through a pipe.
    func startReading(_ arguments: String...) throws -> (process: Process, output: LineReader) {
        let pipe = Pipe()
        let process = makeProcess(arguments, environment: [:])
        process.standardOutput = pipe
        process.standardError = FileHandle.nullDevice
        try process.run()
        return (process, LineReader(pipe.fileHandleForReading))
    }

    /// Starts the tool with the given file handles for its output, which are closed in this process.
    func startShowing(
        _ arguments: [String], output: FileHandle? = nil, errors: FileHandle? = nil, input: Pipe? = nil,
        environment: [String: String] = [:]
    ) throws -> Process {
        let process = makeProcess(arguments, environment: environment)
        if let input { process.standardInput = input }
        process.standardOutput = output ?? FileHandle.nullDevice
        process.standardError = errors ?? FileHandle.nullDevice
        try process.run()
        try output?.close()
        try errors?.close()
        return process
    }

    /// Starts the tool with its standard input and standard error on a terminal.
    func startAnswering(_ arguments: [String], on terminal: PseudoTerminal) throws -> Process {
        let process = makeProcess(arguments, environment: [:])
        process.standardInput = terminal.program
        process.standardOutput = FileHandle.nullDevice
        process.standardError = terminal.program
        try process.run()
        try terminal.program.close()
        return process
    }

    /// Runs another program in the tool's folder. It finds the tool by its name, and reads no settings of the user.
    func runOther(_ command: String...) throws -> Result { try other.run(command, environment: otherEnvironment) }

    /// Starts another program on a terminal, likewise.
    func startOtherOnTerminal(_ command: [String], _ terminal: PseudoTerminal) throws -> Process {
        let process = other.makeProcess(command, environment: otherEnvironment)
        process.standardInput = terminal.program
        process.standardOutput = terminal.program
        process.standardError = terminal.program
        try process.run()
        try terminal.program.close()
        return process
    }

    private var other: Tool {
        var other = self
        other.executable = URL(filePath: "/usr/bin/env")
        return other
    }

    private var otherEnvironment: [String: String] {
        let folders = [executable.deletingLastPathComponent(), Bundle.main.bundleURL]
        let paths = folders.map { $0.path(percentEncoded: false) } + [ProcessInfo.processInfo.environment["PATH"] ?? ""]
        return [
            "PATH": paths.joined(separator: ":"), "HOME": folder.url.path(percentEncoded: false), "TERM": "xterm",
            "INPUTRC": "/dev/null",
        ]
    }

    /// Starts the tool, with its output written to files.
    func start(
        _ arguments: [String], environment: [String: String] = [:], whenEnded: (@Sendable () -> Void)? = nil
    ) throws -> (process: Process, output: URL, errors: URL) {
        let name = UUID().uuidString
        let files = ["out", "err"].map { captures["\(name).\($0)"] }
        let handles = try files.map { file in
            try Data().write(to: file)
            return try FileHandle(forWritingTo: file)
        }
        let process = makeProcess(arguments, environment: environment)
        process.standardOutput = handles[0]
        process.standardError = handles[1]
        if let whenEnded { process.terminationHandler = { _ in whenEnded() } }
        try process.run()
        return (process, files[0], files[1])
    }

    private func makeProcess(_ arguments: [String], environment: [String: String]) -> Process {
        let process = Process()
        process.executableURL = executable
        process.arguments = arguments
        process.currentDirectoryURL = folder.url
        process.standardInput = FileHandle.nullDevice
        let inherited = ProcessInfo.processInfo.environment.filter { $0.key != "VITRINE_HOME" }
        process.environment = inherited.merging(["TERM": "xterm"]) { $1 }.merging(environment) { $1 }
        return process
    }

    /// Executable of the tool: the one that was built with the tests, unless `VITRINE_TOOL` names another build.
    private static let binary: URL = {
        if let path = ProcessInfo.processInfo.environment["VITRINE_TOOL"] { return URL(filePath: path) }
        #if os(macOS)
            let bundle = Bundle.allBundles.first { $0.bundlePath.hasSuffix(".xctest") } ?? Bundle.main
            return bundle.bundleURL.deletingLastPathComponent().appending(path: "vitrine")
        #else
            return Bundle.main.bundleURL.appending(path: "vitrine")
        #endif
    }()

    /// Runs the tool with a file size limit of zero, so that every attempt to write a file fails.
    func runWithFileSizeLimit(_ arguments: [String]) throws -> Result {
        let process = Process()
        let (output, errors) = (Pipe(), Pipe())
        process.executableURL = URL(filePath: "/bin/sh")
        process.arguments = ["-c", "trap '' XFSZ; ulimit -f 0; \"$0\" \"$@\"", Self.path] + arguments
        process.currentDirectoryURL = folder.url
        (process.standardOutput, process.standardError) = (output, errors)
        try process.run()
        let printed = try output.fileHandleForReading.readToEnd() ?? Data()
        let said = try errors.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        return Result(
            status: process.terminationStatus, output: String(decoding: printed, as: UTF8.self),
            errors: String(decoding: said, as: UTF8.self))
    }

    /// Path of the tool.
    static var path: String { binary.path(percentEncoded: false) }

    /// Returns the sizes of all files in the test's folder, by path.
    func files() throws -> [String: Int] {
        let root = folder.url.path()
        let paths = try FileManager.default.subpathsOfDirectory(atPath: root)
        return try paths.reduce(into: [:]) { files, path in
            files[path] = try FileManager.default.attributesOfItem(atPath: root + path)[.size] as? Int
        }
    }
}

/// Reader that returns lines as they arrive.
final class LineReader {
    private let handle: FileHandle
    private var buffer = ""
    /// Lines that were read.
    private var read = ""

    init(_ handle: FileHandle) { self.handle = handle }

    /// Waits for a line that contains a text.
    ///
    /// - Throws: An error if the stream ends before.
    func wait(for text: String) throws { _ = try line(with: text) }

    /// Waits for a line that contains a text, and returns it.
    ///
    /// - Throws: An error if the stream ends before.
    func line(with text: String) throws -> String {
        while true {
            while let end = buffer.firstIndex(of: "\n") {
                let line = String(buffer[..<end])
                buffer = String(buffer[buffer.index(after: end)...])
                read += line + "\n"
                if line.contains(text) { return line }
            }
            let bytes = handle.availableData
            try #require(!bytes.isEmpty, "the tool ended before it said \"\(text)\", after:\n\(read + buffer)")
            buffer += String(decoding: bytes, as: UTF8.self)
        }
    }

    /// Returns the remaining text until the stream ends.
    func rest() -> String {
        while case let bytes = handle.availableData, !bytes.isEmpty { buffer += String(decoding: bytes, as: UTF8.self) }
        return buffer
    }
}
