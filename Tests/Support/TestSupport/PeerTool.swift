package import Foundation

/// External program with which files and signatures are compared.
package struct PeerTool: Sendable {
    package struct Result: Sendable {
        package let status: Int32
        package let output: String
    }

    package static let borg = PeerTool("borg")
    /// Chromium, which renders pages without a window.
    package static let chromium = PeerTool("chromium")
    package static let git = PeerTool("git")
    package static let minisign = PeerTool("minisign")
    package static let openSSL = PeerTool("openssl")
    /// Program `pre-commit`, as `Scripts/peers` installs it.
    package static let preCommit = PeerTool(
        Repository.file(".build/peers/bin/pre-commit").path(percentEncoded: false))
    package static let python = PeerTool("python3")
    /// Python with the packages that `Scripts/peers` installs, among them a validator for JSON Schema.
    package static let pythonWithPeers = PeerTool(
        Repository.file(".build/peers/bin/python3").path(percentEncoded: false))
    package static let restic = PeerTool("restic")
    package static let sevenZip = PeerTool("7z")
    package static let shell = PeerTool("sh")
    package static let tar = PeerTool("tar")
    package static let bsdtar = PeerTool("bsdtar")
    package static let unzip = PeerTool("unzip")
    package static let zip = PeerTool("zip")
    package static let zsh = PeerTool("zsh")

    private let command: String

    private init(_ command: String) { self.command = command }

    /// `true` if the program is installed.
    package var isInstalled: Bool { (try? Self.start("/bin/sh", ["-c", "command -v \(command)"]))?.status == 0 }

    /// Runs the program to its end.
    ///
    /// - Parameters:
    ///   - folder: Working directory; `nil` for the one of the tests.
    ///   - environment: Environment variables in addition to those of the tests.
    package func run(
        _ arguments: String..., in folder: URL? = nil, environment: [String: String] = [:]
    ) throws -> Result {
        try Self.start("/usr/bin/env", [command] + arguments, in: folder, environment)
    }

    /// Runs the program to its end.
    package func run(
        _ arguments: [String], in folder: URL? = nil, environment: [String: String] = [:]
    ) throws -> Result {
        try Self.start("/usr/bin/env", [command] + arguments, in: folder, environment)
    }

    /// Runs the program to its end with data on standard input.
    package func run(_ arguments: String..., input: Data) throws -> Result {
        let folder = try TemporaryFolder()
        return try Self.start("/usr/bin/env", [command] + arguments, input: folder.write(input, to: "input"))
    }

    private static func start(
        _ executable: String, _ arguments: [String], in folder: URL? = nil, _ environment: [String: String] = [:],
        input: URL? = nil
    ) throws -> Result {
        let (process, output) = (Process(), Pipe())
        process.executableURL = URL(filePath: executable)
        process.arguments = arguments
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        if let folder { process.currentDirectoryURL = folder }
        process.standardInput = try input.map { try FileHandle(forReadingFrom: $0) } ?? FileHandle.nullDevice
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
        let printed = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        return Result(status: process.terminationStatus, output: String(decoding: printed, as: UTF8.self))
    }
}
