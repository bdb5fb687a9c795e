import Foundation
import HostedContent
import TestSupport
import Testing

/// Archives that ask for what no archive may have.
@Suite struct HostileArchiveTests {
    private let folder: TemporaryFolder

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

    /// Unpacks what is made, expects the refusal with its reason, and looks at what was written meanwhile.
    func check(_ attack: Attack) throws {
        let archive = folder["archive"]
        try Data(try attack.make(folder["compressed"])).write(to: archive)
        let target = folder["target/inside"]
        try FileManager.default.createDirectory(at: target, withIntermediateDirectories: true)
        let before = try paths(in: folder.url)

        let error = #expect(throws: ContentError.self) {
            _ = try ContentUnpacker.unpack(archive, manifest: attack.manifest, into: target)
        }

        #expect(error?.code == attack.code)
        #expect(error?.reason.contains(attack.reason) == true, "\(error?.reason ?? "")")
        let after = try paths(in: folder.url)
        #expect(after.filter { !$0.hasPrefix("target/inside/") } == before)
        let strange = after.filter { path in
            let type =
                try? FileManager.default.attributesOfItem(atPath: folder[path].path())[.type] as? FileAttributeType
            return type != .typeRegular && type != .typeDirectory
        }
        #expect(strange.isEmpty)
    }
}
