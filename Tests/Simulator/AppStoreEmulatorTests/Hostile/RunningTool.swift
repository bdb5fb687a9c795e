import Foundation
import Testing

/// Process of a tool, which runs until the test ends it.
final class RunningTool {
    private let process = Process()
    private let (input, output) = (Pipe(), Pipe())
    private var rest = Data()

    init(_ executable: String, _ arguments: String...) throws {
        process.executableURL = URL(filePath: executable)
        process.arguments = arguments
        (process.standardInput, process.standardOutput) = (input, output)
        process.standardError = FileHandle.nullDevice
        try process.run()
    }

    var identifier: Int32 { process.processIdentifier }

    /// Waits for the next line of the output.
    func readLine() throws -> String {
        while true {
            if let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
                defer { rest = Data(rest[end...].dropFirst()) }
                return String(decoding: rest[..<end], as: UTF8.self)
            }
            let bytes = output.fileHandleForReading.availableData
            try #require(!bytes.isEmpty, "the tool ended before it wrote a line")
            rest += bytes
        }
    }

    /// Kills the process.
    func kill() {
        Foundation.kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
    }
}

/// Emulated App Store server in a process of its own.
struct RunningEmulator {
    let url: URL
    private let tool: RunningTool

    /// - Parameters:
    ///   - folder: Folder of the store.
    ///   - openFiles: Maximum number of open files and connections; `nil` for the system's limit.
    init(of folder: URL, openFiles: Int? = nil) throws {
        let limit = openFiles.map { "ulimit -n \($0) && " } ?? ""
        tool = try RunningTool(
            "/bin/sh", "-c", "\(limit)exec \"$0\" store \"$1\" --json",
            Bundle.main.bundleURL.appending(path: "vitrine-server").path(percentEncoded: false),
            folder.path(percentEncoded: false))
        struct Ready: Decodable {
            let url: URL
        }
        url = try JSONDecoder().decode(Ready.self, from: Data(tool.readLine().utf8)).url
    }

    func kill() { tool.kill() }

    /// Memory of the process in KiB.
    func memory() throws -> Int {
        let status = try String(contentsOfFile: "/proc/\(tool.identifier)/status", encoding: .utf8)
        let match = try #require(status.firstMatch(of: /VmRSS:\s+([0-9]+) kB/))
        return try #require(Int(match.1))
    }

    /// Number of files and connections that the process has open.
    func openFiles() throws -> Int {
        try FileManager.default.contentsOfDirectory(atPath: "/proc/\(tool.identifier)/fd").count
    }
}
