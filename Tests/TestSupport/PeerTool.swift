internal import Foundation

/// A program of others that reads what we write, and writes what we read.
package struct PeerTool: Sendable {
    package struct Result: Sendable {
        package let status: Int32
        package let output: String
    }

    package static let minisign = PeerTool("minisign")
    package static let openSSL = PeerTool("openssl")
    package static let python = PeerTool("python3")

    private let command: String

    private init(_ command: String) { self.command = command }

    /// It is on the path.
    package var isInstalled: Bool { (try? Self.start("/bin/sh", ["-c", "command -v \(command)"]))?.status == 0 }

    /// Runs it to its end.
    package func run(_ arguments: String...) throws -> Result {
        try Self.start("/usr/bin/env", [command] + arguments)
    }

    private static func start(_ executable: String, _ arguments: [String]) throws -> Result {
        let (process, output) = (Process(), Pipe())
        process.executableURL = URL(filePath: executable)
        process.arguments = arguments
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
        let printed = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        return Result(status: process.terminationStatus, output: String(decoding: printed, as: UTF8.self))
    }
}
