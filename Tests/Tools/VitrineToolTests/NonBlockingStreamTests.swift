import Foundation
import Testing
import VitrineTestSupport

/// Standard input and output that another process has set to the non-blocking mode, as programs of Node.js do.
@Suite(.blocksThreads, .hangLimit) struct NonBlockingStreamTests {
    private let tool: Tool

    /// The catalog, and what commands print about it, are larger than a pipe.
    init() throws {
        tool = try Tool()
        let products = (1...4_000).map {
            "<dict><key>productIdentifier</key><string>com.example.\($0)</string>"
                + "<key>consumable</key><string>no</string></dict>"
        }
        try tool.folder.write(
            PlistText.document("<array>\n\(products.joined(separator: "\n"))\n</array>"), to: "shop.plist")
    }

    @Test(
        arguments: [
            (["convert", "-", "--to", "json"], 0), (["convert", "/dev/stdin", "--to", "xml"], 0),
            (["lint", "-", "--json"], 1), (["lint", "/dev/stdin"], 1),
        ] as [([String], Int32)])
    func `a command waits for its input and for the reader of its output, also in the non-blocking mode`(
        arguments: [String], status: Int32
    ) throws {
        var shell = tool
        shell.executable = URL(filePath: "/bin/sh")
        let expected = try shell.run(["-c", "exec \"$0\" \"$@\" < shop.plist", Tool.path] + arguments)
        #expect(expected.status == status)
        #expect(expected.output.utf8.count > 1 << 16)

        let (input, output) = (Pipe(), Pipe())
        #expect(fcntl(input.fileHandleForReading.fileDescriptor, F_SETFL, O_NONBLOCK) == 0)
        #expect(fcntl(output.fileHandleForWriting.fileDescriptor, F_SETFL, O_NONBLOCK) == 0)
        let process = try tool.startShowing(arguments, output: output.fileHandleForWriting, input: input)
        let writer = Process()
        writer.executableURL = URL(filePath: "/bin/cat")
        writer.arguments = [tool.folder["shop.plist"].path(percentEncoded: false)]
        writer.standardOutput = input.fileHandleForWriting
        try writer.run()
        try input.fileHandleForWriting.close()
        let printed = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()

        #expect(process.terminationStatus == status)
        #expect(String(decoding: printed, as: UTF8.self) == expected.output)
    }
}
