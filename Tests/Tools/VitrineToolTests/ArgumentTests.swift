import Foundation
import Testing
import VitrineTestSupport

/// Arguments that no command can use.
@Suite(.blocksThreads, .hangLimit) struct ArgumentTests {
    private let tool: Tool

    init() throws { tool = try Tool() }

    private static let advice =
        "Write -- before arguments that begin with a hyphen, and = before such a value of an option."

    @Test(arguments: [
        ["lint", "-shop.plist"], ["lint", "shop.plist", "-hosted.plist"], ["show", "-h.plist"],
        ["spend", "coins", "-10"], ["spend", "coins", "-1"], ["buy", "a", "--quantity", "-1"],
        ["unlock", "com.example.a", "--reason", "-herself"],
    ])
    func `an argument that begins with a hyphen is refused, and not taken for a request for help`(
        arguments: [String]
    ) throws {
        let result = try tool.run(arguments)
        let argument = try #require(arguments.last)

        #expect(result.status == 64)
        #expect(result.errors.hasPrefix("vitrine: error: Unknown option '\(argument)'. \(Self.advice)\n"))
        #expect(result.output.isEmpty)
    }

    @Test func `a file whose name begins with a hyphen is checked after --, or with its folder`() throws {
        try tool.folder.write(PlistText.document("<array/>"), to: "-shop.plist")

        #expect(try tool.run("show", "--", "-shop.plist").status == tool.run("show", "./-shop.plist").status)
        #expect(try tool.run("lint", "--", "-shop.plist").status == tool.run("lint", "./-shop.plist").status)
    }

    @Test(arguments: [
        #"lint "$(printf 'caf\351.plist')""#, #"spend coins 5 --token "$(printf 'caf\351.plist')""#,
    ])
    func `an argument that is not UTF-8 is refused, because it would be replaced by another text`(
        command: String
    ) throws {
        var shell = tool
        shell.executable = URL(filePath: "/bin/sh")
        let result = try shell.run("-c", "exec \"$0\" \(command)", Tool.path)

        #expect(result.status == 64)
        #expect(
            result.errors.hasPrefix(#"vitrine: error: The argument caf\xE9.plist is not UTF-8."#), "\(result.errors)")
        #expect(result.output.isEmpty)
    }

    @Test(arguments: [
        ["lint", ""], ["lint", "--settings", "", "a.plist"], ["lint", "--resources", "", "a.plist"],
        ["lint", "--baseline", "", "a.plist"], ["lint", "--storekit", "", "a.plist"], ["lint", "--default-folder", ""],
        ["show", ""], ["diff", "", "a.plist"], ["diff", "a.plist", ""], ["convert", "", "--to", "xml"],
        ["convert", "a.plist", "--to", "xml", "-o", ""], ["init", "--catalog", ""],
        ["init", "--catalog", "a.plist", "--store", ""], ["new", ""], ["preview", ""],
        ["catalog", "keygen", "-o", ""], ["catalog", "sign", "", "--key", "", "--app", "a"], ["receipt", "show", ""],
        ["jws", "show", ""], ["content", "new", "", "--product", "a", "-o", "out"],
        ["content", "new", ".", "--product", "a", "-o", ""], ["content", "pack", "", "-o", "out"],
        ["content", "verify", ""], ["content", "unpack", "", "-o", "out"], ["doctor", "--catalog", ""],
        ["doctor", "--key", ""],
    ])
    func `an empty path is refused instead of standing for the current folder`(arguments: [String]) throws {
        try tool.folder.write(
            PlistText.document("<array><dict><key>productIdentifier</key><string>a</string></dict></array>"),
            to: "a.plist")
        let result = try tool.run(arguments)

        #expect(result.status == 64)
        #expect(result.errors.lowercased().hasPrefix("vitrine: error: a path must not be empty"), "\(result.errors)")
        #expect(result.output.isEmpty)
        #expect(try Array(tool.files().keys) == ["a.plist"])
    }

    @Test func `an output is not written to a file with the name -`() throws {
        try tool.folder.write(PlistText.document("<array/>"), to: "a.plist")
        let result = try tool.run("convert", "a.plist", "--to", "json", "-o", "-")

        #expect(result.status == 64)
        #expect(
            result.errors == "vitrine: error: - is not the path of an output file; ./- would be a file of this name\n")
        #expect(!tool.folder.has("-"))
        #expect(try tool.run("convert", "a.plist", "--to", "json", "-o", "./-").status == 0)
        #expect(tool.folder.has("-"))
    }
}
