import Foundation
import Testing
import VitrineCatalog
import VitrineHostedContent
import VitrineTestSupport

/// Removal of content, on request or to free disk space.
@Suite(.hangLimit) struct RemovingTests {
    private let folder: TemporaryFolder
    private let directory: ContentDirectory
    private let start = Date(timeIntervalSince1970: 1_790_000_000)

    init() throws {
        folder = try TemporaryFolder()
        directory = ContentDirectory(url: folder["content"])
    }

    private func path(_ name: String) throws -> ContentPath { try ContentPath("guides/\(name)") }

    /// Installs content of 100 bytes, with a date of its last use.
    private func install(_ name: String, used second: TimeInterval) async throws {
        let files = ["text": String(repeating: "x", count: 100)]
        let package = try SamplePackage(in: folder, named: name, product: name, files: files).open()
        _ = try await directory.install(package, at: path(name))
        _ = try directory.use(at: path(name), on: start + second)
    }

    private func installed() throws -> [String] { try directory.contents().map(\.content.productIdentifier) }

    private func evict(to bytes: Int, sparing: [String] = []) throws -> [String] {
        let spared = try Set(sparing.map(path))
        return try directory.evict(to: ContentQuota(bytes: bytes), sparing: spared).map(\.content.productIdentifier)
    }

    // MARK: Removing

    @Test func `removed content leaves no files in the content directory`() async throws {
        try await install("rome", used: 0)
        let removed = try directory.remove(at: path("rome"))

        #expect(removed?.productIdentifier == "rome")
        #expect(try directory.installedContent(at: path("rome")) == nil)
        #expect(try paths(in: directory.url).filter { $0 != "CACHEDIR.TAG" } == ["guides"])
        #expect(try directory.remove(at: path("rome")) == nil)
    }

    @Test func `a folder that is not installed content is not removed`() throws {
        try folder.write("precious", to: "content/guides/rome/file")

        #expect(try directory.remove(at: path("rome")) == nil)
        #expect(try directory.remove(at: ContentPath("guides")) == nil)
        #expect(throws: ContentError.self) { try directory.remove(at: ContentPath(".")) }
        #expect(try String(contentsOf: folder["content/guides/rome/file"], encoding: .utf8) == "precious")
    }

    @Test func `the list of installed content omits downloads, staging files and symbolic links`() async throws {
        #expect(try directory.contents().isEmpty)
        try await install("rome", used: 0)
        try await install("athens", used: 0)
        _ = try directory.downloadFolder(for: "oslo")
        try folder.write("x", to: "content/.staging/a/content/.ContentInfo.plist")
        try folder.write("x", to: "content/guides/file")
        try FileManager.default.createSymbolicLink(
            at: folder["content/guides/link"], withDestinationURL: folder["content/guides/rome"])

        #expect(try directory.contents().map(\.path.description) == ["guides/athens", "guides/rome"])
    }

    // MARK: Evicting

    @Test(arguments: [
        (1000, []), (300, []), (299, ["athens"]), (200, ["athens"]), (199, ["athens", "oslo"]),
        (0, ["athens", "oslo", "rome"]),
    ])
    func `eviction removes the least recently used content first, and no more than necessary`(
        bytes: Int, evicted: [String]
    )
        async throws
    {
        try await install("rome", used: 9000)
        try await install("athens", used: 0)
        try await install("oslo", used: 5000)

        #expect(try evict(to: bytes) == evicted)
        #expect(try installed() == ["athens", "oslo", "rome"].filter { !evicted.contains($0) })
        #expect(try paths(in: directory.url).allSatisfy { !$0.hasPrefix(".staging") })
        #expect(try evict(to: bytes) == [])
    }

    @Test func `content that is in use or excluded from eviction is not evicted, even if the quota is exceeded`()
        async throws
    {
        try await install("rome", used: 0)
        try await install("athens", used: 5000)
        try await install("oslo", used: 9000)
        var use = try directory.use(at: path("rome"), on: start)
        let second = try directory.use(at: path("rome"), on: start)
        #expect(use?.content == second?.content)

        #expect(try evict(to: 0, sparing: ["athens"]) == ["oslo"])
        use = nil
        #expect(try evict(to: 0, sparing: ["athens"]) == [])
        withExtendedLifetime(second) {}
    }

    @Test func `content that another process uses is not evicted until the use ends`() async throws {
        try await install("rome", used: 0)
        let names = try FileManager.default.contentsOfDirectory(atPath: folder["content/.uses"].path())
        let lock = try ForeignLock(folder["content/.uses/\(#require(names.first))"], operation: LOCK_SH)

        #expect(try evict(to: 0) == [])
        lock.release()
        #expect(try evict(to: 0) == ["rome"])
        #expect(!FileManager.default.fileExists(atPath: folder["content/.uses"].path()))
    }

    @Test func `content that another process is replacing is not evicted`() async throws {
        try await install("rome", used: 0)
        let names = try FileManager.default.contentsOfDirectory(atPath: folder["content/.uses"].path())
        let staging = folder["content/.staging/\(try #require(names.first).prefix(32))-x"]
        try FileManager.default.createDirectory(at: staging, withIntermediateDirectories: true)
        let lock = try ForeignLock(staging)

        #expect(try evict(to: 0) == [])
        lock.release()
        #expect(try evict(to: 0) == ["rome"])
    }

    @Test(arguments: [(3599, 0), (3600, 3600), (-3600, -3600), (-10, 0)])
    func `the date of last use of content is written at most once per hour`(later: TimeInterval, recorded: TimeInterval)
        async throws
    {
        try await install("rome", used: 0)
        _ = try directory.use(at: path("rome"), on: start + later)
        let names = try FileManager.default.contentsOfDirectory(atPath: folder["content/.uses"].path())
        let attributes = try FileManager.default.attributesOfItem(
            atPath: folder["content/.uses/\(try #require(names.first))"].path())

        #expect(attributes[.modificationDate] as? Date == start + recorded)
    }

    @Test func `content that is not installed cannot be marked as in use`() throws {
        #expect(try directory.use(at: path("rome")) == nil)
        #expect(!FileManager.default.fileExists(atPath: directory.url.path()))
    }

    @Test func `concurrent installation, use and eviction leave only complete content`() async throws {
        let (directory, start) = (directory, start)
        let packages = try (0..<4).map { index in
            try SamplePackage(
                in: folder, named: "P\(index)", product: "p\(index)",
                files: ["a": String(repeating: "x", count: 1000), "b/c": "y"]
            ).open()
        }
        try await withThrowingTaskGroup { group in
            for (index, package) in packages.enumerated() {
                let path = try path("p\(index)")
                group.addTask {
                    for _ in 0..<10 { _ = try await directory.install(package, at: path) }
                }
                group.addTask {
                    for second in 0..<20 {
                        guard let use = try directory.use(at: path, on: start + Double(second)) else { continue }
                        #expect(try paths(in: use.content.url).count == 5)
                    }
                }
            }
            group.addTask {
                for _ in 0..<20 { try directory.evict(to: ContentQuota(bytes: 2100)) }
            }
            try await group.waitForAll()
        }

        #expect(try directory.contents().allSatisfy { try paths(in: $0.content.url).count == 5 })
        #expect(try paths(in: directory.url).allSatisfy { !$0.hasPrefix(".staging") })
    }
}
