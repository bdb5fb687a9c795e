import Foundation
import TestSupport
import Testing

#if canImport(Glibc)
    // Whichever of the two the compiler takes `rusage` to come from.
    import CoreFoundation
    import Glibc
#endif

@Suite(.timeLimit(.minutes(45)), .serialized) struct HostileFileTests {
    private let tool: Tool

    init() throws { tool = try Tool() }

    /// What a process asked for.
    private struct Usage {
        let status: Int32
        /// Of a processor.
        let seconds: Double
    }

    /// KiB of memory for data that the tool may have at most. The runtime and the stacks of its threads, as far as they
    /// are reserved, take about half of it.
    private static let mostMemory = 131_072

    /// Runs the tool on a file with little memory, and asks the system how long it worked.
    private func lint(_ path: String) throws -> Usage {
        var files = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&files)
        defer { posix_spawn_file_actions_destroy(&files) }
        for stream in [STDOUT_FILENO, STDERR_FILENO] {
            posix_spawn_file_actions_addopen(&files, stream, "/dev/null", O_WRONLY, 0)
        }
        let command = "ulimit -d \(Self.mostMemory) && exec \"$0\" lint \"$1\""
        let words = ["/bin/sh", "-c", command, Tool.path, path]
        let arguments: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) } + [nil]
        defer { arguments.forEach { free($0) } }
        var process: pid_t = 0
        let failure = posix_spawn(&process, words[0], &files, nil, arguments, environ)
        try #require(failure == 0)
        var status: Int32 = 0
        var usage = rusage()
        while wait4(process, &status, 0, &usage) < 0 { try #require(errno == EINTR) }
        return Usage(
            status: status,
            seconds: [usage.ru_utime, usage.ru_stime].map { Double($0.tv_sec) + Double($0.tv_usec) / 1_000_000 }
                .reduce(0, +))
    }

    /// A debug build works ten times as long as the release build, which keeps to 0.1 s; `VITRINE_TOOL` names one.
    private static let isRelease = ProcessInfo.processInfo.environment["VITRINE_TOOL"] != nil
    private static let mostSeconds = isRelease ? 0.1 : 3

    @Test func `no hostile file costs much, and each has an answer`() throws {
        try tool.folder.write(PlistText.document("<array/>"), to: "small.plist")
        let base = try lint(tool.folder["small.plist"].path())
        #expect(HostileFile.all.count >= 60)
        for file in HostileFile.all {
            try Data(file.bytes).write(to: tool.folder["hostile.plist"])
            var usage = try lint(tool.folder["hostile.plist"].path())
            // The system counts what it does for others too: the least of a few runs is the file's own.
            for _ in 0..<3 where usage.seconds - base.seconds >= Self.mostSeconds {
                usage = try lint(tool.folder["hostile.plist"].path())
            }
            let code = usage.status >> 8 & 0xFF
            let seconds = usage.seconds - base.seconds

            #expect(usage.status & 0x7F == 0, "\(file) killed the tool with signal \(usage.status & 0x7F)")
            #expect([0, 1, 65].contains(code), "\(file): \(code)")
            #expect(seconds < Self.mostSeconds, "\(file): \(seconds) s")
            if Self.isRelease { print("\(file): \(Int(1_000 * seconds)) ms") }
        }
    }

    @Test func `what cannot be read is told in one line with a reason`() throws {
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
