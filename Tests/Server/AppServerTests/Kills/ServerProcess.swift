import Foundation
import Testing

/// `vitrine-server serve` in a process of its own.
final class ServerProcess: Sendable {
    private let process: Process
    private let errors: URL
    let url: URL

    /// Starts a server, and waits until it is ready.
    ///
    /// - Parameters:
    ///   - configuration: File of its configuration.
    ///   - folder: Folder for its output.
    init(_ configuration: URL, in folder: URL, port: Int = 0) throws {
        let (process, output) = (Process(), Pipe())
        errors = folder.appending(path: "\(UUID().uuidString).log")
        try Data().write(to: errors)
        process.executableURL = Bundle.main.bundleURL.appending(path: "vitrine-server")
        process.arguments = [
            "serve", "--config", configuration.path(percentEncoded: false), "--port", "\(port)", "--json",
        ]
        (process.standardOutput, process.standardError) = (output, try FileHandle(forWritingTo: errors))
        try process.run()
        self.process = process
        struct Ready: Decodable {
            let url: URL
        }
        let line = output.fileHandleForReading.availableData
        guard let ready = try? JSONDecoder().decode(Ready.self, from: line) else {
            process.waitUntilExit()
            throw Failure(
                status: process.terminationStatus, said: (try? String(contentsOf: errors, encoding: .utf8)) ?? "")
        }
        url = ready.url
    }

    /// Failure of a server to start.
    struct Failure: Error {
        let status: Int32
        let said: String
    }

    /// Output of the server on standard error.
    var said: String { (try? String(contentsOf: errors, encoding: .utf8)) ?? "" }

    var isRunning: Bool { process.isRunning }

    /// Memory of the process in KiB.
    var memory: Int {
        get throws {
            let status = try String(contentsOfFile: "/proc/\(process.processIdentifier)/status", encoding: .utf8)
            let match = try #require(status.firstMatch(of: /VmRSS:\s+([0-9]+) kB/))
            return try #require(Int(match.1))
        }
    }

    /// Kills the process.
    func kill() {
        Foundation.kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
    }

    /// Terminates the process gracefully.
    ///
    /// - Returns: Its exit status.
    @discardableResult
    func end() -> Int32 {
        process.terminate()
        process.waitUntilExit()
        return process.terminationStatus
    }
}
