import Foundation
import Testing
import VitrineCatalog
import VitrineHostedContent
import VitrineSupport
import VitrineTestSupport

/// Malicious archives, which must be refused.
@Suite(.blocksThreads, .hangLimit) struct HostileArchiveTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    struct Attack: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let code: ContentError.Code
        let reason: String
        let manifest: ContentManifest?
        let make: @Sendable (URL) throws -> [UInt8]

        init(
            _ description: String, _ reason: String, code: ContentError.Code = .invalidPackage,
            manifest: ContentManifest? = nil, _ make: @escaping @Sendable (URL) throws -> [UInt8]
        ) {
            (testDescription, self.reason, self.code, self.manifest, self.make) =
                (description, reason, code, manifest, make)
        }
    }

    typealias Entry = ZipBytes.Entry

    static func zip(_ more: Entry...) -> [UInt8] { ZipBytes(SampleArchive.zipEntries + more).bytes }

    static func tar(_ more: [UInt8]...) -> [UInt8] { SampleArchive.tar(more.flatMap(\.self)) }

    /// Unpacks and installs an archive, expects the reasons of the refusal, and checks that no other files were
    /// written.
    func check(_ attack: Attack) async throws {
        let archive = folder["archive"]
        try Data(try attack.make(folder["compressed"])).write(to: archive)
        let (target, directory) = (folder["target/inside"], ContentDirectory(url: folder["content"]))
        try FileManager.default.createDirectory(at: target, withIntermediateDirectories: true)
        let before = try paths(in: folder.url)
        let request = ContentRequest(productIdentifier: attack.manifest?.productIdentifier ?? "rome")

        let unpacking = #expect(throws: ContentError.self) {
            _ = try ContentUnpacker.unpack(archive, manifest: attack.manifest, into: target)
        }
        let installing = await #expect(throws: ContentError.self) {
            try await directory.install(
                .archive(archive, attack.manifest), request: request, at: ContentPath("guides/rome"))
        }

        for error in [unpacking, installing] {
            #expect(error?.code == attack.code)
            #expect(error?.reason.contains(attack.reason) == true, "\(error?.reason ?? "")")
        }
        #expect(try paths(in: directory.url) == ["CACHEDIR.TAG"])
        let after = try paths(in: folder.url)
        #expect(after.filter { !$0.hasPrefix("target/inside/") && !$0.hasPrefix("content") } == before)
        let strange = after.filter { path in
            let type =
                try? FileManager.default.attributesOfItem(atPath: folder[path].path())[.type] as? FileAttributeType
            return type != .typeRegular && type != .typeDirectory
        }
        #expect(strange.isEmpty)
    }
}
