import Foundation
import Testing
import VitrineShopPreview
import VitrineSupport
import VitrineTestSupport

struct SceneTests {
    @Test func `a scene of the shop preview is saved beside the catalog, opened again and removed`() async throws {
        let preview = try await PreviewedShop.sample("Voyager")
        try await preview.perform(
            .originalBuild("150"), .buy(product: "com.example.voyager.lisbon", quantity: 1))
        let view = PreviewView(language: "de", storefront: "JPN", device: .tablet, scheme: .dark)
        try await preview.shop.save(scene: "Since build 150, owns Lisbon", view: view)
        let before = await preview.page()
        #expect(preview.folder.has("Shop.scenes.plist"))
        try await preview.shop.goBack(to: 0)
        try await preview.shop.save(scene: "Nothing", view: PreviewView())

        let other = try await PreviewedShop.open(preview.folder, store: "Shop.storekit")
        #expect(await other.shop.scenes.map(\.name) == ["Since build 150, owns Lisbon", "Nothing"])
        #expect(try await preview.shop.open(scene: "Since build 150, owns Lisbon") == view)
        let page = await preview.page()
        #expect(page.transactions == before.transactions && page.cards == before.cards)
        #expect(page.timeline.map(\.title) == before.timeline.map(\.title))

        try await preview.shop.remove(scene: "Nothing")
        #expect(await preview.shop.scenes.count == 1)
        await #expect(throws: PreviewError.self) { _ = try await preview.shop.open(scene: "Nothing") }
        await #expect(throws: PreviewError.self) { try await preview.shop.remove(scene: "Nothing") }
        await preview.shop.close()
    }

    /// File of scenes as a person writes it, with a comment and in an order of its own.
    private static let written = PlistText.document(
        """
        <array>
            <!-- The first one. -->
            <dict>
                <key>view</key> <dict><key>scheme</key> <string>dark</string></dict>
                <key>name</key> <string>One &amp; only</string>
            </dict>
            <dict><key>name</key><string>Two</string>
                <key>actions</key> <array> <dict><key>action</key><string>restore</string></dict> </array></dict>
            <dict><key>name</key><string>Three</string></dict> <!-- the last one -->
        </array>
        """)

    private static let defaultScene = """
        <dict>
                <key>actions</key>
                <array/>
                <key>name</key>
                <string>NAME</string>
                <key>view</key>
                <dict>
                    <key>device</key>
                    <string>phone</string>
                    <key>scheme</key>
                    <string>light</string>
                </dict>
            </dict>
        """

    @Test(
        arguments: [
            (
                "Two",
                """
                <dict><key>name</key><string>Two</string>
                        <key>actions</key> <array> <dict><key>action</key><string>restore</string></dict> </array></dict>
                """, defaultScene.replacing("NAME", with: "Two")
            ),
            (
                "Four", "<string>Three</string></dict>",
                "<string>Three</string></dict>\n    " + defaultScene.replacing("NAME", with: "Four")
            ),
        ])
    func `keeping a preview scene changes the text of that scene only`(name: String, before: String, after: String)
        async throws
    {
        let preview = try await PreviewedShop.of(PreviewedShop.product("a")) {
            try $0.write(Self.written, to: "Shop.scenes.plist")
        }
        try await preview.shop.save(scene: name, view: PreviewView())
        #expect(Self.written.contains(before))
        #expect(try preview.text(of: "Shop.scenes.plist") == Self.written.replacing(before, with: after))
        await preview.shop.close()
    }

    @Test func `removing a preview scene leaves the text of the other scenes as it is`() async throws {
        let preview = try await PreviewedShop.of(PreviewedShop.product("a")) {
            try $0.write(Self.written, to: "Shop.scenes.plist")
        }
        try await preview.shop.remove(scene: "Three")
        #expect(
            try preview.text(of: "Shop.scenes.plist")
                == Self.written.replacing("\n    <dict><key>name</key><string>Three</string></dict>", with: ""))
        for name in ["Two", "One & only"] { try await preview.shop.remove(scene: name) }
        try await preview.shop.save(scene: "New", view: PreviewView())
        #expect(await preview.shop.scenes.map(\.name) == ["New"])
        await preview.shop.close()
    }

    /// Files whose text is not edited, and what remains of them beside a new scene.
    static let others: [(id: String, text: String, names: [String], kept: String)] = [
        ("JSON", #"[{"name":"one"}]"#, ["one", "New"], "<?xml"),
        (
            "comments alone", PlistText.document("<array>\n    <!-- For the club. -->\n</array>"), ["New"],
            "<array>\n    <!-- For the club. -->\n\t<dict>"
        ),
    ]

    @Test(arguments: others.indices)
    func `keeping a preview scene loses no scene in JSON and no comment of an empty file`(index: Int) async throws {
        let other = Self.others[index]
        let preview = try await PreviewedShop.of(PreviewedShop.product("a")) {
            try $0.write(other.text, to: "Shop.scenes.plist")
        }
        try await preview.shop.save(scene: "New", view: PreviewView())
        #expect(try preview.text(of: "Shop.scenes.plist").contains(other.kept), "\(other.id)")
        let again = try await PreviewedShop.open(preview.folder)
        #expect(await again.shop.scenes.map(\.name) == other.names, "\(other.id)")
        await preview.shop.close()
    }

    @Test func `preview scenes that another program has added are retained when a scene is kept`() async throws {
        let preview = try await PreviewedShop.of(PreviewedShop.product("a"))
        try preview.folder.write(Self.written, to: "Shop.scenes.plist")
        try await preview.shop.save(scene: "Mine", view: PreviewView())
        #expect(await preview.shop.scenes.map(\.name) == ["One & only", "Two", "Three", "Mine"])
        await preview.shop.close()
    }

    @Test func `a changed file of preview scenes is reloaded, and an invalid file leaves the last valid scenes in use`()
        async throws
    {
        let preview = try await PreviewedShop.of(PreviewedShop.product("a"))
        try await preview.shop.save(scene: "One", view: PreviewView())
        let text = try preview.text(of: "Shop.scenes.plist")
        try preview.replace("Shop.scenes.plist", by: text.replacing("One", with: "Two"))
        await preview.shop.look()
        #expect(await preview.shop.scenes.map(\.name) == ["Two"])
        try preview.replace("Shop.scenes.plist", by: text.replacing("</array>", with: "<array>"))
        await preview.shop.look()
        #expect(await preview.shop.scenes.map(\.name) == ["Two"])
        #expect(await preview.page().fileErrors.map(\.name) == ["Shop.scenes.plist"])
        let error = await #expect(throws: PreviewError.self) {
            try await preview.shop.save(scene: "Three", view: PreviewView())
        }
        #expect(error?.code == .unusableData)
        await preview.shop.close()
    }

    @Test(
        arguments: [
            ("no array", "<dict/>", 4, "must be an array"),
            ("no dictionary", "<array><string>Lisbon</string></array>", 4, "must be a dictionary"),
            ("no name", "<array>\n<dict/></array>", 5, "has no name"),
            ("unknown key", "<array><dict>\n<key>colour</key><true/></dict></array>", 5, "colour is not a key"),
            (
                "unknown action",
                "<array><dict><key>name</key><string>a</string><key>actions</key><array>\n"
                    + "<dict><key>action</key><string>steal</string></dict></array></dict></array>", 5,
                "there is no action steal"
            ),
            (
                "no country",
                "<array><dict><key>name</key><string>a</string><key>view</key>\n"
                    + "<dict><key>storefront</key><string>XXY</string></dict></dict></array>", 5, "is not a country"
            ),
            (
                "two of a name",
                "<array><dict><key>name</key><string>a</string></dict>\n<dict><key>name</key><string>a</string></dict></array>",
                5, "there are two scenes a"
            ),
        ])
    func `an invalid file of preview scenes is reported with the line of the error`(
        id: String, text: String, line: Int, reason: String
    ) async throws {
        let preview = try await PreviewedShop.of(PreviewedShop.product("a")) {
            try $0.write(PlistText.document(text), to: "Shop.scenes.plist")
        }
        let broken = await preview.page().fileErrors
        #expect(broken.map(\.line) == [line])
        #expect(broken.first?.message.contains(reason) == true, "\(broken)")
        await preview.shop.close()
    }

    @Test(arguments: ["", "two\nlines", String(repeating: "n", count: 101)])
    func `saving a preview scene with an empty, multiline or overlong name is refused`(name: String) async throws {
        let preview = try await PreviewedShop.of(PreviewedShop.product("a"))
        let error = await #expect(throws: PreviewError.self) {
            try await preview.shop.save(scene: name, view: PreviewView())
        }
        #expect(error?.code == .invalidRequest)
        #expect(!preview.folder.has("Shop.scenes.plist"))
        await preview.shop.close()
    }

    @Test(
        arguments: [
            ("actions", [String](repeating: "<dict><key>action</key><string>restore</string></dict>", count: 401), 1),
            ("scenes", [], 101),
        ] as [(String, [String], Int)])
    func `a file of preview scenes with too many actions or scenes is refused`(
        id: String, actions: [String], scenes: Int
    ) async throws {
        let all = (0..<scenes).map { number in
            "<dict><key>name</key><string>\(number)</string><key>actions</key><array>\(actions.joined())</array></dict>"
        }
        let preview = try await PreviewedShop.of(PreviewedShop.product("a")) {
            try $0.write(PlistText.document("<array>\(all.joined())</array>"), to: "Shop.scenes.plist")
        }
        let page = await preview.page()
        #expect(page.scenes.isEmpty)
        #expect(page.fileErrors.first?.message.contains("at most") == true, "\(page.fileErrors)")
        await preview.shop.close()
    }
}
