import Foundation
import Testing
import VitrineTestSupport

/// Access of other users of the machine to what the tool writes. Signed data of the store is enough to claim purchases.
@Suite(.blocksThreads, .hangLimit) struct OwnerAccessTests {
    struct Way: Sendable, CustomTestStringConvertible {
        let id: String
        /// `true` if the folder of the home exists before, and everybody can read it.
        var isThere = false
        let arguments: [String]

        var testDescription: String { id }
    }

    static let ways = [
        Way(id: "a new store", arguments: own),
        Way(id: "a new store in an existing folder", isThere: true, arguments: own),
        Way(id: "the store of another home", arguments: joined),
        Way(id: "the store of another home in an existing folder", isThere: true, arguments: joined),
    ]

    private static let own = ["--store", Repository.file("Catalogs/Club.storekit").path()]
    private static let joined = ["--join", ".vitrine/Store", "--customer", "default", "--device", "tablet"]

    private let tool: Tool

    init() throws { tool = try Tool.club() }

    private func permissions(_ path: String) throws -> Int {
        let attributes = try FileManager.default.attributesOfItem(atPath: tool.folder[path].path())
        return try #require(attributes[.posixPermissions] as? Int)
    }

    @Test(arguments: ways)
    func `a home and its ledger can be read by their owner only, however the home was made`(_ way: Way) throws {
        if way.isThere {
            try FileManager.default.createDirectory(
                at: tool.folder["home"], withIntermediateDirectories: true, attributes: [.posixPermissions: 0o755])
        }
        let made = try tool.run(["init", "--home", "home", "--catalog", "Club.plist"] + way.arguments)
        #expect(made.status == 0, "\(made.errors)")
        try tool.succeed("buy", "map", "--home", "home")
        #expect(try permissions("home") == 0o700)
        for name in try FileManager.default.contentsOfDirectory(atPath: tool.folder["home"].path())
        where name.hasPrefix("ledger.sqlite") {
            #expect(try permissions("home/\(name)") == 0o600, "\(name)")
        }
    }

    @Test func `a home that others can read becomes its owner's alone when it is used, and keeps its ledger`() throws {
        try tool.succeed("buy", "map")
        for (path, mode) in [(".vitrine", 0o755), (".vitrine/ledger.sqlite", 0o644)] {
            try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: tool.folder[path].path())
        }
        try tool.succeed("owned", "map")
        #expect(try permissions(".vitrine") == 0o700)
        #expect(try permissions(".vitrine/ledger.sqlite") == 0o600)
    }

    @Test func `an exported ledger and documents for other devices can be read by their owner only`() throws {
        try tool.succeed("buy", "map")
        try tool.succeed("export", "-o", "ledger.json")
        #expect(try permissions("ledger.json") == 0o600)
        try FileManager.default.createDirectory(at: tool.folder["Shared"], withIntermediateDirectories: true)
        try tool.succeed("sync", "--folder", "Shared")
        let names = try FileManager.default.contentsOfDirectory(atPath: tool.folder["Shared"].path())
            .filter { $0.hasSuffix(".facts") }
        #expect(!names.isEmpty)
        for name in names { #expect(try permissions("Shared/\(name)") == 0o600, "\(name)") }
    }

    @Test func `an exported ledger can be read by its owner only, also if it replaces a file that others can read`()
        throws
    {
        try tool.succeed("buy", "map")
        try tool.folder.write("{}", to: "ledger.json")
        try FileManager.default.setAttributes(
            [.posixPermissions: 0o644], ofItemAtPath: tool.folder["ledger.json"].path())
        let link = tool.folder["link.json"].path()
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: "ledger.json")
        try tool.succeed("export", "--force", "-o", "link.json")
        #expect(try permissions("ledger.json") == 0o600)
        #expect(try Data(contentsOf: tool.folder["ledger.json"]).count > 2)
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link) == "ledger.json")
    }
}
