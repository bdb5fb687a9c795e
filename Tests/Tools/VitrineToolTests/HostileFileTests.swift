import Foundation
import Testing
import VitrineTestSupport

@Suite(.blocksThreads, .hangLimit) struct HostileFileTests {
    /// Shell that starts the tool with limits.
    private let shell: Tool

    init() throws {
        var shell = try Tool()
        shell.executable = URL(filePath: "/bin/sh")
        self.shell = shell
    }

    /// Memory limit of the tool for data, in KiB. The runtime and the reserved stacks of its threads use about half of
    /// it.
    private static let mostMemory = 131_072

    /// Limit of the tool's processor time in seconds. The release build, which `VITRINE_TOOL` names, needs a tenth of a
    /// second for the most expensive file, and a debug build ten times as long.
    private static let mostSeconds = ProcessInfo.processInfo.environment["VITRINE_TOOL"] == nil ? 10 : 1

    @Test func `there are at least sixty hostile files`() { #expect(HostileFile.all.count >= 60) }

    /// The system kills a process that exceeds a limit, so that its status is the number of a signal.
    @Test(arguments: HostileFile.all)
    func `lint reads a hostile file within its limits of memory and processor time, or reports it in one line`(
        file: HostileFile
    ) throws {
        try Data(file.bytes).write(to: shell.folder["hostile.plist"])
        let result = try shell.run(
            "-c",
            "ulimit -d \(Self.mostMemory) && ulimit -t \(Self.mostSeconds) || exit 99; exec \"$0\" lint hostile.plist",
            Tool.path)

        #expect([0, 1, 65].contains(result.status), "\(result.errors)")
        guard result.status == 65 else { return }
        let lines = result.lines.filter { !$0.hasPrefix("    ") }
        #expect(lines.count == 1)
        #expect(lines.first?.hasSuffix("[not-a-property-list]") == true, "\(result.output)")
        #expect(result.output.utf8.count < 1_000)
        #expect(result.errors.isEmpty, "\(result.errors)")
    }
}
