import Foundation
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(45))) struct DiffTests {
    private let tool: Tool
    private let sample = Repository.sample("Voyager.plist").path()

    init() throws { tool = try Tool() }

    @Test func `a catalog and itself differ in nothing`() throws {
        let result = try tool.run("diff", sample, sample)

        #expect(result.output == "the new catalog changes nothing\n")
        #expect(result.status == 0)
    }

    @Test func `what takes something away ends with 1`() throws {
        let text = try String(contentsOf: Repository.sample("Voyager.plist"), encoding: .utf8)
        try tool.folder.write(
            text.replacing("\t\t\t<string>com.example.voyager.vienna</string>\n", with: ""), to: "less.plist")
        let less = try tool.run("diff", sample, "less.plist")
        #expect(less.status == 1)
        #expect(
            less.lines == [
                #"takes away: com.example.voyager.everything no longer contains "com.example.voyager.vienna""#
            ])
        #expect(try tool.run("diff", "less.plist", sample).status == 0)

        try tool.folder.write(text.replacing("<integer>50</integer>", with: "<integer>60</integer>"), to: "more.plist")
        let more = try tool.run("diff", sample, "more.plist", "--json")
        #expect(more.status == 0)
        let change = try #require((try more.json["changes"] as? [[String: String]])?.first)
        #expect(change["effect"] == "offer")
        #expect(change["product"] == .voyager("coins50"))
        #expect(change["message"] == "has productValue 60 instead of 50")
    }

    @Test func `what is no catalog is told`() throws {
        try tool.folder.write("text", to: "text")

        #expect(try tool.run("diff", sample, "none").status == 66)
        #expect(try tool.run("diff", "text", sample).status == 65)
        #expect(try tool.run("diff", sample).status == 64)
    }
}
