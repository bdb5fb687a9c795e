import Foundation
import Testing
import VitrineTestSupport

@Suite(.blocksThreads, .timeLimit(.minutes(45)), .serialized) struct HostileFileTests {
    private let tool: Tool

    init() throws { tool = try Tool() }

    /// Memory limit of the tool for data, in KiB. The runtime and the reserved stacks of its threads use about half of
    /// it.
    private static let mostMemory = 131_072

    /// Limit of the tool's processor time in seconds. The release build, which `VITRINE_TOOL` names, needs a tenth of a
    /// second for the most expensive file, and a debug build ten times as long.
    private static let mostSeconds = ProcessInfo.processInfo.environment["VITRINE_TOOL"] == nil ? 10 : 1

    /// Runs the tool on a file with resource limits. The system kills a process that exceeds them.
    private func lint(_ path: String) throws -> Process {
        let process = Process()
        process.executableURL = URL(filePath: "/bin/sh")
        process.arguments = [
            "-c", "ulimit -d \(Self.mostMemory) && ulimit -t \(Self.mostSeconds) && exec \"$0\" lint \"$1\"", Tool.path,
            path,
        ]
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        return process
    }

    @Test func `lint processes every hostile file within its limits of memory and processor time`() throws {
        #expect(HostileFile.all.count >= 60)
        for file in HostileFile.all {
            try Data(file.bytes).write(to: tool.folder["hostile.plist"])
            let process = try lint(tool.folder["hostile.plist"].path())

            #expect(
                process.terminationReason == .exit, "\(file) killed the tool with signal \(process.terminationStatus)")
            #expect([0, 1, 65].contains(process.terminationStatus), "\(file): \(process.terminationStatus)")
        }
    }

    @Test func `lint reports an unreadable file in one line with a reason`() throws {
        for file in HostileFile.all {
            try Data(file.bytes).write(to: tool.folder["hostile.plist"])
            let result = try tool.run("lint", "hostile.plist")
            guard result.status == 65 else { continue }
            let lines = result.lines.filter { !$0.hasPrefix("    ") }

            #expect(lines.count == 1, "\(file)")
            #expect(lines.first?.hasSuffix("[not-a-property-list]") == true, "\(file): \(result.output)")
            #expect(result.output.utf8.count < 1_000, "\(file)")
            #expect(result.errors.isEmpty, "\(file): \(result.errors)")
        }
    }
}
