import Testing
import VitrineCommandSupport

/// Text tables on terminals of several widths.
struct TableTests {
    private static let table = Table(
        headings: ["OWNED", "REASON"],
        rows: [["lisbon", "bought on 2030-01-15; included in iberia"], ["rome", "bought on 2030-01-16"]])

    @Test(
        arguments: [
            (
                nil,
                [
                    "OWNED   REASON", "lisbon  bought on 2030-01-15; included in iberia",
                    "rome    bought on 2030-01-16",
                ]
            ),
            (
                48,
                [
                    "OWNED   REASON", "lisbon  bought on 2030-01-15; included in iberia",
                    "rome    bought on 2030-01-16",
                ]
            ),
            (
                32,
                [
                    "OWNED   REASON", "lisbon  bought on 2030-01-15;", "        included in iberia",
                    "rome    bought on 2030-01-16",
                ]
            ),
            (
                20,
                [
                    "OWNED   REASON", "lisbon  bought on", "        2030-01-15;", "        included in",
                    "        iberia",
                    "rome    bought on", "        2030-01-16",
                ]
            ),
        ] as [(Int?, [String])])
    func `a cell of a table that is wider than the terminal is broken between words`(columns: Int?, lines: [String]) {
        #expect(Self.table.lines(columns: columns) == lines)
    }

    @Test func `each row of a table whose words do not fit beside each other is a list of its cells`() {
        #expect(
            Self.table.lines(columns: 18) == [
                "OWNED   lisbon", "REASON  bought on", "        2030-01-15;", "        included", "        in iberia",
                "",
                "OWNED   rome", "REASON  bought on", "        2030-01-16",
            ])
    }
}
