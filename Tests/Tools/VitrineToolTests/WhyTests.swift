import Foundation
import Testing
import VitrineTestSupport

/// Complete output of `vitrine why`, written for readers who have not seen the code.
@Suite(.blocksThreads, .hangLimit) struct WhyTests {
    private let tool: Tool

    init() throws { tool = try Tool.voyager() }

    /// Returns the output of `vitrine why` with a placeholder for the day, because all events happen on the day of the
    /// test.
    private func why(_ product: String) throws -> String {
        try tool.run("why", .voyager(product)).output.replacing(/\d{4}-\d\d-\d\d(?= by| \(|:|\)|\n)/, with: "TODAY")
    }

    private func run(_ command: String...) throws {
        let result = try tool.run(command)
        try #require(result.status == 0, "\(result.errors)")
    }

    @Test func `vitrine why explains that a product is owned because of its purchase`() throws {
        try run("buy", .voyager("lisbon"))
        #expect(
            try why("lisbon") == """
                com.example.voyager.lisbon is owned:
                  bought on TODAY (transaction 1); the ownership ends if the store revokes the purchase

                """)
    }

    @Test func `vitrine why explains a product in a nested bundle that was purchased`() throws {
        try run("buy", .voyager("everything"))
        #expect(
            try why("madrid") == """
                com.example.voyager.madrid is owned:
                  included in com.example.voyager.iberia, which is owned:
                    included in com.example.voyager.everything, which is owned:
                      bought on TODAY (transaction 1); the ownership ends if the store revokes the purchase

                """)
    }

    @Test func `vitrine why explains that a product is owned because of a grant`() throws {
        try run("unlock", .voyager("porto"), "--reason", "won in a raffle", "--by", "customer support")
        #expect(
            try why("porto") == """
                com.example.voyager.porto is owned:
                  granted on TODAY by customer support: won in a raffle; the ownership ends if the product is locked

                """)
    }

    @Test func `vitrine why explains that a product is owned because of grandfathering`() throws {
        try run("init", "--original-build", "150", "--original-date", "2019-05-01")
        #expect(
            try tool.run("why", .voyager("premium")).output.contains(
                ": the app was first installed as build 150 on 2019-05-01, "
                    + "and the grandfathering rule requires a build before 200; "
                    + "the ownership ends if the product is locked\n"))
    }

    @Test func `vitrine why explains why a product is not owned`() throws {
        try run("init", "--original-build", "300", "--original-date", "2024-05-01")
        #expect(
            try why("premium") == """
                com.example.voyager.premium is not owned:
                  no valid transaction or grant of the product itself
                  no bundle contains it
                  app first installed as build 300 on 2024-05-01, and the rule requires a build before 200

                """)
    }

    @Test func `vitrine why explains a product whose bundle was refunded and whose grant was locked`() throws {
        try run("buy", .voyager("iberia"))
        try run("unlock", .voyager("lisbon"))
        try run("lock", .voyager("lisbon"), "--reason", "given by mistake", "--by", "Ana")
        try run("store", "refund", "1")
        #expect(
            try why("lisbon") == """
                com.example.voyager.lisbon is not owned:
                  no valid transaction or grant of the product itself
                  none of its bundles is owned: com.example.voyager.iberia
                  no longer valid: transaction 1 of com.example.voyager.iberia, revoked on TODAY
                  no longer valid: the grant, locked on TODAY by Ana: given by mistake

                """)
    }

    @Test func `vitrine why explains a product that was removed from its bundle after the bundle was purchased`() throws
    {
        let catalog = try String(contentsOf: Repository.sample("Voyager.plist"), encoding: .utf8)
        try tool.folder.write(catalog, to: "catalog.plist")
        try run("init", "--catalog", "catalog.plist")
        try run("buy", .voyager("iberia"))
        try tool.folder.write(
            catalog.replacing("<string>com.example.voyager.madrid</string>\n\t\t</array>", with: "</array>"),
            to: "catalog.plist")
        #expect(
            try why("madrid") == """
                com.example.voyager.madrid is owned:
                  included in com.example.voyager.iberia when this bundle was bought on TODAY (transaction 1); the ownership ends if the store revokes that purchase

                """)
    }

    @Test func `vitrine why explains a pending transaction whose product is not in the catalog`() throws {
        try run("init", "--catalog", Repository.sample("ProductIDs.plist").path())
        try run("store", "share", .voyager("iberia"))
        #expect(
            try why("iberia") == """
                com.example.voyager.iberia is not owned, and not in the catalog.
                  transaction 1 of com.example.voyager.iberia waits: com.example.voyager.iberia is not in the catalog

                """)
    }

    @Test func `vitrine why explains an owned product whose content is not installed`() throws {
        try Data("a file where a folder should be".utf8).write(to: tool.home.appending(path: "HostedContent"))
        try run("store", "share", .voyager("rome"))
        let lines = try tool.run("why", .voyager("rome")).lines
        #expect(lines.count == 3)
        #expect(lines[1].contains("shared by the family since "))
        #expect(lines[1].hasSuffix("(transaction 1); the ownership ends if the purchase is no longer shared"))
        #expect(
            lines[2].hasPrefix("  transaction 1 of com.example.voyager.rome waits: the content is not installed: "))
    }

    @Test func `vitrine why reports unknown ownership if no catalog is loaded`() throws {
        let catalog = try tool.folder.write(
            String(contentsOf: Repository.sample("Voyager.plist"), encoding: .utf8), to: "catalog.plist")
        try run("init", "--catalog", "catalog.plist")
        try FileManager.default.removeItem(at: catalog)
        #expect(
            try why("lisbon") == """
                The ownership of com.example.voyager.lisbon is unknown: no catalog is loaded, so the contents of bundles are unknown.
                  no valid transaction or grant of the product itself

                """)
    }
}
