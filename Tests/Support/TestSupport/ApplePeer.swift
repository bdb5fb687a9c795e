import Foundation

/// Apple's own library for servers, in Python, as `Scripts/peers` installs it.
package enum ApplePeer {
    private static let python = Repository.file(".build/peers/bin/python3")

    package static var isInstalled: Bool {
        FileManager.default.isExecutableFile(atPath: python.path(percentEncoded: false))
    }

    package struct Failure: Error {
        package let status: Int32
    }

    /// Runs a command of `Tests/Peers/apple.py` with JSON input, and decodes its JSON output.
    package static func ask<Answer: Decodable>(
        _ command: String, _ question: some Encodable, as: Answer.Type = Answer.self
    ) throws -> Answer {
        let folder = try TemporaryFolder()
        try JSONEncoder().encode(question).write(to: folder["question"])
        let (process, output) = (Process(), Pipe())
        process.executableURL = python
        process.arguments = [Repository.file("Tests/Peers/apple.py").path(percentEncoded: false), command]
        process.standardInput = try FileHandle(forReadingFrom: folder["question"])
        process.standardOutput = output
        try process.run()
        let printed = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw Failure(status: process.terminationStatus) }
        return try JSONDecoder().decode(Answer.self, from: printed)
    }
}
