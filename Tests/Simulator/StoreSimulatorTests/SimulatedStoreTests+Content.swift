import Foundation
import Testing
import VitrinePurchasing
import VitrineStoreSimulator
import VitrineSupport
import VitrineTestSupport

/// Content that the app hosts with the store.
extension SimulatedStoreTests {
    @Test func `hosted content is copied with progress reports, and remains hosted after a restart`() async throws {
        try store.host(Repository.samplePackages.appending(path: "Rome"), for: .voyager("rome"))
        let content = try #require(try voyager.reopened().content)
        #expect(content.hasContent(for: .voyager("rome")))
        #expect(!content.hasContent(for: .voyager("lisbon")))
        let progress = Recorder<[Int?]>()
        let folder = voyager.folder["Downloads"]
        let package = try await content.contentPackage(for: .voyager("rome"), in: folder) { progress.record([$0, $1]) }

        let names = try FileManager.default.contentsOfDirectory(atPath: try #require(package).path())
        #expect(names.sorted() == ["ContentInfo.plist", "Contents"])
        let last = try #require(progress.values.last)
        #expect(last[0] == last[1] && last[0] ?? 0 > 0)
        #expect(try await content.contentPackage(for: .voyager("lisbon"), in: folder) { _, _ in } == nil)
    }

    @Test func `downloading hosted content fails while the store is offline`() async throws {
        try store.host(Repository.samplePackages.appending(path: "Rome"), for: .voyager("rome"))
        try await store.setOffline(true)
        let error = await #expect(throws: StoreError.self) {
            try await store.content?.contentPackage(for: .voyager("rome"), in: voyager.folder["Downloads"]) { _, _ in }
        }
        #expect(error?.code == .network)
    }

    @Test func `a folder that is not a package, or a package for an unknown product, cannot be hosted`() throws {
        let folder = Repository.samplePackages
        #expect(throws: SimulatedStoreError.self) { try store.host(folder, for: .voyager("rome")) }
        #expect(throws: SimulatedStoreError.self) {
            try store.host(folder.appending(path: "Rome"), for: .voyager("atlantis"))
        }
        #expect(store.content?.hasContent(for: .voyager("rome")) == false)
    }
}
