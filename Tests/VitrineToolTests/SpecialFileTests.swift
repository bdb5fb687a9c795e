import Foundation
import TestSupport
import Testing

/// Paths at which there is no regular file.
@Suite(.timeLimit(.minutes(45))) struct SpecialFileTests {
    private let tool: Tool

    init() throws {
        tool = try Tool.voyager()
        #expect(mkfifo(tool.folder["pipe"].path(), 0o644) == 0)
    }

    @Test(arguments: [
        ["lint", "pipe"], ["show", "pipe"], ["convert", "pipe", "--to", "xml"], ["jws", "show", "pipe"],
        ["receipt", "show", "pipe"], ["import", "pipe"], ["init", "--catalog", "pipe"],
    ])
    func `a pipe is not read, and no command waits for a process that writes to it`(arguments: [String]) throws {
        let (result, isKilled) = try tool.startUntilKilled(arguments, after: 60)
        #expect(!isKilled)
        #expect(result.status == 74)
        #expect(result.errors.contains("pipe: not a regular file"), "\(result.errors)")
    }

    @Test func `a catalog in whose place a pipe has come is not loaded, and takes nothing away`() throws {
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
    func `the tool's own input is read, also from a pipe`(path: String) throws {
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
