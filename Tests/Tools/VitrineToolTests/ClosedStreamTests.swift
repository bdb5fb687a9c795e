import Foundation
import Testing
import VitrineTestSupport

/// Standard streams that are closed, or cannot be written to.
@Suite(.blocksThreads, .hangLimit) struct ClosedStreamTests {
    private let tool: Tool

    init() throws {
        tool = try Tool()
        try tool.folder.write(
            PlistText.document("<array><dict><key>productIdentifier</key><string>a</string></dict></array>"),
            to: "a.plist")
    }

    private func run(_ command: String) throws -> Tool.Result {
        var shell = tool
        shell.executable = URL(filePath: "/bin/sh")
        return try shell.run("-c", "exec \"$0\" \(command)", Tool.path)
    }

    @Test(arguments: ["show a.plist", "lint a.plist --json", "--help", "help store", "schema"])
    func `a closed output is an error with status 74`(command: String) throws {
        let result = try run("\(command) >&-")

        #expect(result.status == 74)
        let message = "vitrine: error: the output cannot be written: it is closed\n"
        #expect(result.errors.hasSuffix(message), "\(result.errors)")
    }

    @Test(
        .enabled(if: FileManager.default.fileExists(atPath: "/dev/full"), "the system has no /dev/full"),
        arguments: ["--help", "help", "--version", "store --version", "--generate-completion-script bash"])
    func `help and the version that cannot be written are an error with status 74`(command: String) throws {
        let result = try run("\(command) >/dev/full")

        #expect(result.status == 74)
        #expect(result.errors == "vitrine: error: the output cannot be written: the disk is full\n")
    }

    @Test func `a closed input is an error with status 74`() throws {
        let result = try run("convert - --to json <&-")

        #expect(result.status == 74)
        #expect(result.errors == "vitrine: error: -: it is closed\n")
    }

    @Test func `a command with a closed stream of errors has the same status and output`() throws {
        for command in ["show a.plist", "show none.plist", "frobnicate"] {
            let (usual, closed) = (try run(command), try run("\(command) 2>&-"))
            #expect((closed.status, closed.output) == (usual.status, usual.output), "\(command)")
            #expect(closed.errors.isEmpty)
        }
    }
}
