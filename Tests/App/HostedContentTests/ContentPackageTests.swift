import Foundation
import Testing
import VitrineHostedContent
import VitrineSupport
import VitrineTestSupport

@Suite(.hangLimit) struct ContentPackageTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func code(_ body: () throws -> Void) -> ContentError.Code? {
        #expect(throws: ContentError.self, performing: body)?.code
    }

    @Test func `all sample packages in the repository are valid content packages`() throws {
        let packages = try PackageFolder(url: Repository.samplePackages).packages()

        #expect(packages.map(\.info.productIdentifier) == ["athens", "rome"].map(String.voyager))
        #expect(packages.map(\.info.version) == ["2.1", "1.0"])
    }

    @Test func `a package is found by its product identifier`() throws {
        _ = try SamplePackage(in: folder, named: "A", product: "rome")
        _ = try SamplePackage(in: folder, named: "B", product: "athens", version: "2")
        try folder.write("not a package", to: "packages/readme.txt")
        let packages = PackageFolder(url: folder["packages"])

        #expect(try packages.index().products == ["rome", "athens"])
        #expect(try packages.index().package(for: "athens").info.version == "2")
        #expect(code { _ = try packages.index().package(for: "paris") } == .notFound)
    }

    @Test func `symbolic links and pipes in a folder of packages are ignored`() throws {
        _ = try SamplePackage(in: folder)
        try FileManager.default.createSymbolicLink(
            atPath: folder["packages/loop"].path(), withDestinationPath: "loop")
        #expect(mkfifo(folder["packages/pipe"].path(), 0o644) == 0)

        #expect(try PackageFolder(url: folder["packages"]).packages().count == 1)
        #expect(try PackageFolder(url: folder["packages"]).index().products == ["rome"])
    }

    @Test func `two packages for one product are refused`() throws {
        _ = try SamplePackage(in: folder, named: "A")
        _ = try SamplePackage(in: folder, named: "B")
        let packages = PackageFolder(url: folder["packages"])

        #expect(code { _ = try packages.packages() } == .invalidPackage)
        #expect(code { _ = try packages.index().package(for: "rome") } == .invalidPackage)
    }

    @Test func `a package folder that does not exist is reported as not found`() {
        #expect(code { _ = try PackageFolder(url: folder["nowhere"]).packages() } == .notFound)
        #expect(code { _ = try PackageFolder(url: folder["nowhere"]).index() } == .notFound)
        #expect(code { _ = try ContentPackage(folder: folder["nowhere"]) } == .notFound)
    }

    struct Defect: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let reason: String
        let make: @Sendable (SamplePackage) throws -> Void

        init(_ description: String, _ reason: String, _ make: @escaping @Sendable (SamplePackage) throws -> Void) {
            testDescription = description
            self.reason = reason
            self.make = make
        }
    }

    private static func link(_ url: URL, to target: String) throws {
        try FileManager.default.createSymbolicLink(atPath: url.path(), withDestinationPath: target)
    }

    @Test(arguments: [
        Defect("a link to a file", "Contents/passwd is a symbolic link") { try link($0["passwd"], to: "/etc/passwd") },
        Defect("a link to a folder", "Contents/maps/etc is a symbolic link") { try link($0["maps/etc"], to: "/etc") },
        Defect("a link that leads nowhere", "Contents/x is a symbolic link") { try link($0["x"], to: "gone") },
        Defect("a link inside the package", "Contents/x is a symbolic link") { try link($0["x"], to: "guide.md") },
        Defect("Contents that is a link", "Contents is a symbolic link") { package in
            try FileManager.default.removeItem(at: package["guide.md"].deletingLastPathComponent())
            try link(package.url.appending(path: "Contents"), to: "/etc")
        },
        Defect("ContentInfo.plist that is a link", "ContentInfo.plist is a symbolic link") { package in
            let info = package.url.appending(path: "ContentInfo.plist")
            try FileManager.default.moveItem(at: info, to: package.url.appending(path: "Other.plist"))
            try link(info, to: "Other.plist")
        },
        Defect("no Contents", "has no folder Contents") { package in
            try FileManager.default.removeItem(at: package["guide.md"].deletingLastPathComponent())
        },
        Defect("Contents that is a file", "Contents is not a folder") { package in
            try FileManager.default.removeItem(at: package["guide.md"].deletingLastPathComponent())
            try Data().write(to: package.url.appending(path: "Contents"))
        },
        Defect("a pipe", "Contents/pipe is neither a file nor a folder") {
            #expect(mkfifo($0["pipe"].path(), 0o644) == 0)
        },
        Defect("names that differ by case", "is not distinguished by some file systems from \"GUIDE.md\"") {
            try Data().write(to: $0["GUIDE.md"])
        },
        Defect("names that differ by the spelling of an accent", "is not distinguished by some file systems from") {
            try Data().write(to: $0["cafe\u{301}"])
            try Data().write(to: $0["caf\u{e9}"])
        },
        Defect("a name with a control character", "holds a control character or a backslash") {
            try Data().write(to: $0.url.appending(path: "Contents").appending(component: "a\u{1B}[31m"))
        },
        Defect("a name with a backslash", "holds a control character or a backslash") {
            try Data().write(to: $0.url.appending(path: "Contents").appending(component: "a\\b"))
        },
        Defect("a name that is not UTF-8", "holds a name that is not UTF-8") { package in
            let path = Array(package["x"].path().utf8).map(CChar.init(bitPattern:)) + [-1, 0]
            let descriptor = open(path, O_WRONLY | O_CREAT, 0o644)
            #expect(descriptor >= 0)
            close(descriptor)
        },
        Defect("the name of the installed record", "a reserved name") {
            try Data().write(to: $0[".contentinfo.PLIST"])
        },
        Defect("a folder with the name of the list of files", "a reserved name") {
            try FileManager.default.createDirectory(
                at: $0[".ContentManifest.plist"], withIntermediateDirectories: true)
        },
        Defect("the name of the digest with a character that a file system ignores", "a reserved name") {
            try Data().write(to: $0[".Content\u{200C}Digest"])
        },
        Defect("a path that is too long for where it is to go", "holds a path that is longer than 1024 bytes") {
            package in
            let name = String(repeating: "a", count: 200)
            try FileManager.default.createDirectory(
                at: package[Array(repeating: name, count: 6).joined(separator: "/")], withIntermediateDirectories: true)
        },
        Defect("folders in folders in folders", "more than 64 nested folders") { package in
            try FileManager.default.createDirectory(
                at: package[Array(repeating: "a", count: 65).joined(separator: "/")],
                withIntermediateDirectories: true)
        },
    ])
    func `a package with links, special files or forbidden names is refused with the path`(_ defect: Defect) throws {
        let package = try SamplePackage(in: folder)
        try defect.make(package)

        let error = #expect(throws: ContentError.self) { try package.open() }
        #expect(error?.code == .invalidPackage)
        #expect(error?.reason.contains(defect.reason) == true, "\(error?.reason ?? "")")
        #expect(error?.reason.contains("packages/Rome") == true, "\(error?.reason ?? "")")
    }

    @Test(
        arguments: [
            ("<array/>", "4:1: IAPProductIdentifier must occur once"),
            ("<dict><key>ContentVersion</key><string>1</string></dict>", "IAPProductIdentifier must occur once"),
            ("<dict><key>IAPProductIdentifier</key><string>a</string></dict>", "ContentVersion must occur once"),
            (
                "<dict><key>IAPProductIdentifier</key><integer>1</integer></dict>",
                "IAPProductIdentifier must occur once"
            ),
            (
                "<dict><key>IAPProductIdentifier</key><string>a</string><key>IAPProductIdentifier</key><string>b</string></dict>",
                "IAPProductIdentifier must occur once"
            ),
            (
                "<dict><key>IAPProductIdentifier</key><string></string></dict>",
                "IAPProductIdentifier must occur once"
            ),
            ("<dict>", "ContentInfo.plist:"),
        ]
    )
    func `a ContentInfo.plist without a product identifier or version is refused with the reason`(
        body: String, reason: String
    ) throws {
        let package = try SamplePackage(in: folder)
        try folder.write(PlistText.document(body), to: "packages/Rome/ContentInfo.plist")

        let error = #expect(throws: ContentError.self) { try package.open() }
        #expect(error?.code == .invalidPackage)
        #expect(error?.reason.contains(reason) == true, "\(error?.reason ?? "")")
    }

    @Test func `unknown keys in ContentInfo.plist and files outside Contents are ignored`() throws {
        let package = try SamplePackage(in: folder)
        try folder.write(
            PlistText.document(
                """
                <dict><key>Folder</key><string>x</string><key>IAPProductIdentifier</key><string>a</string>
                <key>ContentVersion</key><string>1.2</string></dict>
                """), to: "packages/Rome/ContentInfo.plist")
        try folder.write("x", to: "packages/Rome/META-INF/x")

        #expect(try package.open().info.version == "1.2")
    }
}
