import Foundation
import Testing
import VitrineCatalog
import VitrineCatalogLoading
import VitrineNetworking
import VitrineTestSupport

@Suite(.hangLimit) struct CatalogCacheTests {
    @Test func `a truncated catalog cache file is ignored and reported`() async throws {
        let scene = try await LoaderScene(.text("[\"a\"]"))
        _ = try await scene.loader().load()
        let whole = try scene.cacheContent()
        for count in whole.indices {
            try whole.prefix(count).write(to: scene.cacheFile)
            #expect(await scene.loader().storedCatalog() == nil, "\(count) bytes")
        }
        try whole.prefix(100).write(to: scene.cacheFile)
        #expect(
            await scene.loader().status().cacheFailure?.reason
                == "the cached catalog is damaged: the digest in the cache file does not match its content")

        let loaded = try await scene.loader().load()
        #expect(loaded.origin == .remote)
        #expect(loaded.cacheFailure == nil)
        #expect(await scene.loader().storedCatalog()?.identifiers == ["a"])
        #expect(scene.server.requests.map { $0.headers["if-none-match"] } == [nil, nil])
    }

    @Test func `backups leave out the folder of the catalog cache`() async throws {
        let scene = try await LoaderScene(.text("[\"a\"]"))
        _ = try await scene.loader().load()
        let folder = scene.cacheFile.deletingLastPathComponent()
        let tag = try String(contentsOf: folder.appending(component: "CACHEDIR.TAG"), encoding: .utf8)
        #expect(tag.hasPrefix("Signature: 8a477f597d28d172789f06886806bc55\n"))
    }

    @Test func `a catalog cache file with one changed byte is ignored`() async throws {
        let scene = try await LoaderScene(.text("[\"a\"]"))
        _ = try await scene.loader().load()
        let whole = try scene.cacheContent()
        for index in whole.indices {
            var changed = whole
            changed[index] ^= 1
            try changed.write(to: scene.cacheFile)
            #expect(await scene.loader().storedCatalog() == nil, "byte \(index)")
        }
    }

    @Test func `a catalog cache file with other content, or a folder with its name, is ignored and reported`()
        async throws
    {
        let scene = try await LoaderScene()
        for text in ["", "\n", "\n\n\n", "vitrine catalog cache 1\n", "vitrine catalog cache 2\n\n{}\n"] {
            try scene.folder.write(text, to: "Cache/Catalog.cache")
            #expect(await scene.loader().storedCatalog() == nil)
            #expect(await scene.loader().status().cacheFailure != nil)
        }
        try FileManager.default.removeItem(at: scene.cacheFile)
        try FileManager.default.createDirectory(at: scene.cacheFile, withIntermediateDirectories: true)
        let loaded = try await scene.loader().load()
        #expect(loaded.origin == .remote)
        #expect(loaded.cacheFailure != nil)
    }

    @Test func `a catalog cache file above the size limit is not read`() async throws {
        let scene = try await LoaderScene()
        try scene.folder.write(String(repeating: "x", count: 400_000), to: "Cache/Catalog.cache")
        var remote = scene.remote()
        remote.limits.size = 1_000

        #expect(await scene.loader(remote).storedCatalog() == nil)
        #expect(await scene.loader(remote).status().cacheFailure?.reason.contains("more than 263144 bytes") == true)
    }

    @Test func `a damaged record of the last catalog download is reported, and replaced at the next download`()
        async throws
    {
        let scene = try await LoaderScene()
        try scene.folder.write("{", to: "Cache/Attempt.json")
        #expect(await scene.loader().status().lastAttempt == nil)
        #expect(await scene.loader().status().cacheFailure != nil)

        _ = try await scene.loader().load()
        #expect(await scene.loader().status().lastAttempt != nil)
        #expect(await scene.loader().status().cacheFailure == nil)
    }
}
