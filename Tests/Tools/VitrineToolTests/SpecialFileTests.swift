import Foundation
import Testing
import VitrineTestSupport

/// Paths that are not regular files.
@Suite(.blocksThreads, .hangLimit) struct SpecialFileTests {
    private let tool: Tool

    init() throws {
        tool = try Tool.voyager()
        #expect(mkfifo(tool.folder["pipe"].path(), 0o644) == 0)
    }

    @Test(arguments: [
        ["lint", "pipe"], ["show", "pipe"], ["convert", "pipe", "--to", "xml"], ["jws", "show", "pipe"],
        ["receipt", "show", "pipe"], ["import", "pipe"], ["init", "--catalog", "pipe"],
    ])
    func `commands refuse a named pipe instead of waiting for a process that writes to it`(arguments: [String]) throws {
        let (result, isKilled) = try tool.startUntilKilled(arguments, after: 60)
        #expect(!isKilled)
        #expect(result.status == 74)
        #expect(result.errors.contains("pipe: not a regular file"), "\(result.errors)")
    }

    @Test func `a catalog that is replaced by a named pipe is not loaded, and owned products stay owned`() throws {
        let catalog = tool.folder["c.plist"]
        try FileManager.default.copyItem(at: Repository.sample("Voyager.plist"), to: catalog)
        #expect(try tool.run("init", "--catalog", catalog.path()).status == 0)
        #expect(try tool.run("buy", .voyager("lisbon")).status == 0)
        try FileManager.default.removeItem(at: catalog)
        try FileManager.default.moveItem(at: tool.folder["pipe"], to: catalog)

        let (load, isKilled) = try tool.startUntilKilled(["load"], after: 60)
        #expect(!isKilled)
        #expect(load.status == 1)
        #expect(load.output.contains("not a regular file"))
        #expect(try tool.run("owned", .voyager("lisbon")).status == 0)
    }

    @Test(arguments: ["-", "/dev/stdin", "/dev/fd/0", "/dev/fd/7"])
    func `lint reads piped input through -, /dev/stdin and /dev/fd paths`(path: String) throws {
        let shell = Process()
        let output = Pipe()
        shell.executableURL = URL(filePath: "/bin/sh")
        shell.arguments = [
            "-c", "cat \"$1\" | { exec \"$0\" lint --json \"$2\" 7<&0; }", Tool.path,
            Repository.sample("Voyager.plist").path(), path,
        ]
        shell.standardOutput = output
        try shell.run()
        let printed = try output.fileHandleForReading.readToEnd() ?? Data()
        shell.waitUntilExit()

        #expect(shell.terminationStatus == 0)
        #expect(String(decoding: printed, as: UTF8.self).contains("\"path\" : \"\(path)\""))
    }
}
