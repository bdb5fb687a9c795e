import Foundation
import Testing
import VitrineStoreSimulator
import VitrineTestSupport

/// Three years of a customer's subscriptions in the output of the tool. `Tests/Fixtures/three-years.txt` contains each
/// command after a dollar sign, its output on both channels, and its exit status unless that is zero.
@Suite(.blocksThreads, .hangLimit) struct SubscriptionStoryTests {
    private static let page = Repository.file("Tests/Fixtures/three-years.txt")

    /// Creates a home with the club's store, which numbers its transactions from one.
    private func makeTool() throws -> Tool {
        let tool = try Tool()
        let configuration = Repository.file("Catalogs/Club.storekit")
        try SimulatedStore.create(
            in: tool.home.appending(path: "Store"), configuration: Data(contentsOf: configuration),
            bundleIdentifier: "com.example.club", seed: 0)
        let subscription = "<key>type</key><string>autoRenewableSubscription</string>"
        try tool.folder.write(
            PlistText.document(
                """
                <array>
                <dict><key>productIdentifier</key><string>club.gold</string>\(subscription)
                <key>childProducts</key><array><string>map</string></array></dict>
                <dict><key>productIdentifier</key><string>club.silver</string>\(subscription)</dict>
                <dict><key>productIdentifier</key><string>map</string>
                <key>type</key><string>nonConsumable</string></dict>
                </array>
                """), to: "Club.plist")
        try tool.succeed("init", "--catalog", "Club.plist", "--store", configuration.path())
        try tool.succeed("store", "clock", "virtual", "2040-01-15")
        try tool.succeed(
            "init", "--home", "partner", "--catalog", "Club.plist", "--join", tool.home.appending(path: "Store").path(),
            "--customer", "partner", "--device", "phone")
        return tool
    }

    @Test func `commands over three years of a customer's subscriptions print the expected transcript`() throws {
        let tool = try makeTool()
        let page = try String(contentsOf: Self.page, encoding: .utf8)
        var printed: [String] = []
        for line in page.split(separator: "\n", omittingEmptySubsequences: false).map(String.init) {
            if line.isEmpty || line.hasPrefix("# ") { printed.append(line) }
            guard line.hasPrefix("$ vitrine ") else { continue }
            let result = try tool.run(line.dropFirst("$ vitrine ".count).split(separator: " ").map(String.init))
            printed.append(line)
            printed += (result.errors + result.output).split(separator: "\n").map(String.init)
            if result.status != 0 { printed.append("[exit \(result.status)]") }
        }
        if printed.last != "" { printed.append("") }

        let stations = { (text: String) in text.components(separatedBy: "\n# ") }
        for (said, expected) in zip(stations(printed.joined(separator: "\n")), stations(page)) {
            #expect(Self.withoutOrder(said) == Self.withoutOrder(expected))
        }
    }

    /// Returns lines in which history entries of the same instant are sorted. Their order can vary, because the store
    /// sends the response to a purchase and the change of an earlier transaction at the same time.
    private static func withoutOrder(_ text: String) -> [String] {
        var lines: [String] = []
        var entries: [(date: Substring, text: Substring)] = []
        for line in text.components(separatedBy: "\n") + [""] {
            if let entry = line.wholeMatch(of: /\d+ +(\d{4}-\d\d-\d\d [\d:]+ UTC)(.*)/) {
                entries.append((entry.1, entry.2))
            } else {
                lines +=
                    entries.sorted { ($0.date, $0.text) < ($1.date, $1.text) }.map { "\($0.date)\($0.text)" } + [line]
                entries = []
            }
        }
        return lines
    }
}
