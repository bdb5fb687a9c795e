import Foundation
import Testing
import VitrineTestSupport

/// Folders as in ordinary repositories, in which property lists are no catalogs.
@Suite(.blocksThreads, .hangLimit) struct OrdinaryFoldersTests {
    private let tool: Tool

    private static func dictionary(_ entries: String) -> String { PlistText.document("<dict>\(entries)</dict>") }

    private static func entry(_ key: String, _ value: String) -> String { "<key>\(key)</key><string>\(value)</string>" }

    private static let info = dictionary(
        entry("CFBundleIdentifier", "$(PRODUCT_BUNDLE_IDENTIFIER)") + entry("CFBundleShortVersionString", "1.0")
            + "<key>UISupportedInterfaceOrientations</key><array><string>UIInterfaceOrientationPortrait</string></array>"
    )

    /// Property lists and JSON that can be read, by path.
    private static let others: [String: String] = [
        "Traveler/App/Assets.xcassets/Contents.json": #"{"info": {"author": "xcode", "version": 1}}"#,
        "Server/package.json": #"{"name": "server", "products": [{"name": "milk"}]}"#,
        "Server/texts/en.json": #"{"welcome.title.text": "Hello"}"#,
        // An app for iOS with its project.
        "Traveler/App.xcodeproj/project.xcworkspace/xcshareddata/IDEWorkspaceChecks.plist": dictionary(
            "<key>IDEDidComputeMac32BitWarning</key><true/>"),
        "Traveler/App/Info.plist": info,
        "Traveler/App/Settings.bundle/Root.plist": dictionary(
            "<key>PreferenceSpecifiers</key><array><dict>\(entry("Type", "PSTextFieldSpecifier"))"
                + "\(entry("Key", "name_preference"))</dict></array>"),
        "Traveler/App/GoogleService-Info.plist": dictionary(
            entry("API_KEY", "AIza") + entry("BUNDLE_ID", "com.example.app") + "<key>IS_ADS_ENABLED</key><false/>"),
        "Traveler/ExportOptions.plist": dictionary(
            entry("method", "app-store")
                + "<key>provisioningProfiles</key><dict>\(entry("com.example.app", "Profile"))</dict>"),
        // An app for macOS with a helper.
        "Mac/Info.plist": info,
        "Mac/Sandbox.entitlements.plist": dictionary("<key>com.apple.security.app-sandbox</key><true/>"),
        "Mac/com.example.helper.plist": dictionary(
            entry("Label", "com.example.helper")
                + "<key>ProgramArguments</key><array><string>/bin/sh</string></array><key>KeepAlive</key><true/>"),
        // A Flutter app.
        "flutter/ios/Runner/Info.plist": info,
        "flutter/ios/Flutter/AppFrameworkInfo.plist": dictionary(entry("MinimumOSVersion", "13.0")),
        // Data of apps: a shop of goods, a menu, words and levels of a game.
        "Grocer/Goods.plist": dictionary(
            "<key>products</key><array><dict>\(entry("name", "Milk"))<key>price</key><real>1.2</real></dict></array>"),
        "Grocer/Best.plist": dictionary("<key>product</key><dict>\(entry("name", "Milk"))</dict>"),
        "Grocer/Menu.plist": PlistText.document(
            "<array><dict>\(entry("title", "File"))\(entry("type", "menu"))</dict></array>"),
        "Grocer/Texts.plist": dictionary(entry("welcome.title", "Hello")),
        "Game/Words.plist": PlistText.document("<array><string>Apple</string><string>Pear</string></array>"),
        "Game/Levels.plist": PlistText.document("<array><dict>\(entry("map", "cave"))</dict></array>"),
        "Server/launch/settings.plist": dictionary("<key>Subscriptions</key><string>mail</string>"),
    ]

    /// Files that cannot be read, by path, with the reasons for which they are passed over.
    private static let unreadable: [String: (text: String, reason: String)] = [
        "Legacy/Defaults.plist": ("{\n    Author = \"William\";\n}\n", "an old-style property list"),
        "Legacy/Names.plist": ("(Apple, Pear)\n", "an old-style property list"),
        "Game/Empty.plist": ("", "an empty file"),
        "Server/tsconfig.json": (
            "{\n  // a comment\n  \"compilerOptions\": {},\n}\n",
            "2:3: expected a key in double quotation marks, but found a comment, which JSON does not have"
        ),
        "Game/Map.plist": (
            "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a214614ab2935\nsize 12345\n",
            "a pointer of Git LFS: the file itself was not fetched"
        ),
        "Templates/{{name}}/Info.plist": (
            PlistText.document("<dict>\n{% if cookiecutter.url %}\n\(entry("URL", "x"))\n{% endif %}\n</dict>"),
            "a template, from which a property list is made"
        ),
        "Templates/Version.plist": (
            dictionary("<key>CFBundleVersion</key><integer>${BUILD}</integer>"),
            "a template, from which a property list is made"
        ),
    ]

    /// Files in folders that are left out. Each is a catalog with an error.
    private static let leftOut = [
        "Carthage/Checkouts/Shop/Catalog.plist", "DerivedData/App/Build/Catalog.plist",
        "Frameworks/Shop.xcframework/ios-arm64/Shop.framework/Catalog.plist", "Traveler/Pods/Shop/Catalog.plist",
        "flutter/build/ios/Runner.app/Catalog.plist", "flutter/ios/Pods/Shop/Catalog.plist",
        "node_modules/shop/Catalog.plist", "vendor/bundle/Catalog.plist",
    ]
    private static let hidden = [
        ".build/checkouts/Shop/Catalog.plist", ".git/Catalog.plist", ".dart_tool/Catalog.plist", "Game/.Catalog.plist",
    ]

    private static let catalog = PlistText.document(
        "<array><dict><key>productIdentifier</key><string>a.b</string><key>consumable</key><false/></dict></array>")
    private static let faulty = PlistText.document("<array><dict><key>consumable</key><false/></dict></array>")

    init() throws {
        tool = try Tool()
        for (path, text) in Self.others { try tool.folder.write(text, to: path) }
        for (path, file) in Self.unreadable { try tool.folder.write(file.text, to: path) }
        for path in Self.leftOut + Self.hidden { try tool.folder.write(Self.faulty, to: path) }
        try tool.folder.write(
            Self.dictionary("<!-- a -- b -->" + Self.entry("CFBundleName", "App")), to: "Mac/Old.plist")
        for (path, text) in [
            "Traveler/App.xcodeproj/project.pbxproj": "// !$*UTF8*$!\n{ archiveVersion = 1; }\n",
            "Traveler/App/en.lproj/InfoPlist.strings": "CFBundleName = \"App\";\n",
        ] { try tool.folder.write(text, to: path) }
    }

    @Test func `lint of ordinary repositories succeeds and counts the files that were passed over`() throws {
        let (all, unreadable) = (Self.others.count + Self.unreadable.count + 1, Self.unreadable.count + 1)
        let line =
            "vitrine: no catalog in .: \(all) files passed over: no catalogs (\(unreadable) cannot be read), "
            + "\(Self.leftOut.count) folders left out; --verbose names them\n"
        for options in [[], ["--strict"], ["--only-catalogs"], ["--format", "github", "--only-catalogs"]] {
            let result = try tool.run(["lint"] + options + ["."])
            #expect(result.status == 0, "\(options)")
            #expect(result.output.isEmpty, "\(options)")
            #expect(result.errors == line, "\(options)")
        }
    }

    @Test func `lint of ordinary repositories finds a catalog in JSON, also if it cannot be read`() throws {
        try tool.folder.write(#"[{"consumable": false, "productIdentifer": "a.b"}]"#, to: "Server/shop.json")
        let result = try tool.run("lint", ".")
        #expect(result.status == 1)
        #expect(result.lines.first?.hasPrefix("./Server/shop.json:1:") == true)

        try tool.folder.write(#"[{"consumable": false, "productIdentifier": "a.b"},]"#, to: "Server/shop.json")
        let damaged = try tool.run("lint", ".")
        #expect(damaged.status == 65)
        #expect(
            damaged.lines.first?.hasPrefix(
                "./Server/shop.json:1:51: error: JSON does not allow a comma after the last value") == true)
    }

    @Test func `lint of ordinary repositories finds the one catalog in them`() throws {
        try tool.folder.write(Self.faulty, to: "Traveler/App/Shop.plist")
        let result = try tool.run("lint", ".")
        #expect(result.status == 1)
        #expect(result.lines.first?.hasPrefix("./Traveler/App/Shop.plist:4:8: error: ") == true)

        try tool.folder.write(Self.catalog, to: "Traveler/App/Shop.plist")
        let mended = try tool.run("lint", ".")
        #expect(mended.status == 0)
        #expect(mended.errors.hasPrefix("vitrine: 1 file checked: 0 errors and 0 warnings in 0 files; "))
    }

    @Test func `lint --verbose names each file that is no catalog with the reason, and each folder that is left out`()
        throws
    {
        let lines = try tool.run("lint", "--verbose", ".").errors.split(separator: "\n").map(String.init)
        for path in Self.others.keys {
            #expect(
                lines.contains("vitrine: passed over: ./\(path): a property list or JSON of another kind"), "\(path)")
        }
        for (path, file) in Self.unreadable {
            #expect(lines.contains("vitrine: passed over: ./\(path): \(file.reason)"), "\(path)")
        }
        #expect(lines.contains { $0.hasPrefix("vitrine: passed over: ./Mac/Old.plist: 4:") })
        let leftOut = lines.filter { $0.hasPrefix("vitrine: left out: ") }
        #expect(leftOut.count == Self.leftOut.count)
        #expect(leftOut.contains("vitrine: left out: ./Traveler/Pods/"))
        #expect(leftOut.contains("vitrine: left out: ./Frameworks/Shop.xcframework/"))
        #expect(!lines.contains { $0.contains("Catalog.plist") })
    }

    @Test func `a file that is no catalog is an error if it is named`() throws {
        for path in Self.unreadable.keys { #expect(try tool.run("lint", path).status == 65, "\(path)") }
        for path in ["Traveler/App/Info.plist", "Grocer/Goods.plist", "Grocer/Best.plist"] {
            #expect(try tool.run("lint", path).status == 1, "\(path)")
        }
        let paths = Array(Self.unreadable.keys) + Array(Self.others.keys)
        #expect(try tool.run(["lint", "--only-catalogs"] + paths).status == 0)
    }

    @Test func `a folder that is left out is checked if it is named`() throws {
        let result = try tool.run("lint", ".", "Traveler/Pods")
        #expect(result.status == 1)
        #expect(result.lines.first?.hasPrefix("Traveler/Pods/Shop/Catalog.plist:4:8: error: ") == true)
        #expect(result.lines.filter { $0.contains("error: ") }.count == 1)
    }
}
