import Foundation

/// Helper that performs one operation on a content directory, run as a process.
struct ContentHelperTool {
    struct Result {
        let status: Int32
        let output: String
        let errors: String
    }

    /// Working directory; `nil` for the one of the tests.
    var folder: URL?

    /// Runs the helper to its end.
    ///
    /// - Parameters:
    ///   - command: Arguments, without the directory.
    ///   - environment: Environment variables in addition to those of the tests.
    func run(
        _ command: [String], in directory: URL, environment: [String: String] = [:]
    ) throws -> Result {
        let (process, output, errors) = (Process(), Pipe(), Pipe())
        process.executableURL = Bundle.main.bundleURL.appending(path: "VitrineContentHelper")
        process.arguments = [command[0], directory.path()] + command.dropFirst()
        process.currentDirectoryURL = folder
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        (process.standardOutput, process.standardError) = (output, errors)
        try process.run()
        let said = try errors.fileHandleForReading.readToEnd() ?? Data()
        let printed = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        return Result(
            status: process.terminationStatus, output: String(decoding: printed, as: UTF8.self),
            errors: String(decoding: said, as: UTF8.self))
    }
}
