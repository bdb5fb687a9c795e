import Foundation
import Synchronization
import Testing
import VitrineTestSupport

/// A home whose catalog names content on a web server that has it, and does what it is told besides.
struct DownloadScene {
    let tool: Tool
    let server: ContentServer
    private let packing: [String]
    private let fault: FaultBox

    /// Bytes of the guide to Rome: more than two of the parts in which an archive comes.
    static let length = 9_000_000

    private static let lengthOfPart = 4 << 20

    enum Fault {
        /// Nothing is answered.
        case silent
        /// The second part of an archive begins, and does not go on.
        case stalling
        /// There is nothing.
        case missing
        /// The second part breaks off, and the server knows nothing of the rest.
        case ending
    }

    private final class FaultBox: Sendable {
        let current = Mutex<Fault?>(nil)
    }

    /// - Parameters:
    ///   - packages: The sample packages that the server has.
    ///   - withFiles: It has their files by themselves, too.
    init(_ packages: String..., withFiles: Bool = false) async throws {
        let (tool, fault) = (try Tool.voyager(), FaultBox())
        let root = tool.folder.url
        server = try await ContentServer { _, path in
            fault.current.withLock { $0 } == .missing
                ? nil : (try? Data(contentsOf: root.appending(path: "out" + path))).map { ContentServer.File($0) }
        } fault: { _, reply in
            if fault.current.withLock({ $0 }) == .silent { return ContentServer.Answer(.silence) }
            guard let range = reply.headers["Content-Range"], !range.hasPrefix("bytes 0-") else { return nil }
            switch fault.current.withLock({ $0 }) {
            case .stalling: return reply.broken(after: 1_000_000, then: .silence)
            case .ending:
                return range.hasPrefix("bytes \(Self.lengthOfPart)-")
                    ? reply.broken(after: 1_000_000, then: .close) : ContentServer.Answer(.reply(404))
            case .silent, .missing, nil: return nil
            }
        }
        (self.tool, self.fault) = (tool, fault)
        packing = ["-o", "out", "--base-url", server.url.absoluteString] + (withFiles ? ["--files"] : [])
        try FileManager.default.copyItem(at: Repository.sample("Voyager.plist"), to: tool.folder["catalog.plist"])
        try FileManager.default.createDirectory(at: tool.folder["packages"], withIntermediateDirectories: true)
        for name in packages { try add(name) }
        #expect(try tool.run("init", "--catalog", "catalog.plist").status == 0)
    }

    private func add(_ name: String) throws {
        let package = tool.folder["packages/\(name)"]
        try FileManager.default.copyItem(at: Repository.samplePackages.appending(path: name), to: package)
        if name == "Rome" {
            try Data.random(Self.length).write(to: package.appending(path: "Contents/maps/tiles"))
        }
        try pack(name)
    }

    /// Puts a package on the server as it is now, and into the catalog.
    func pack(_ name: String) throws {
        let packed = try tool.run(
            ["content", "pack", "packages/\(name)", "--update-catalog", "catalog.plist"] + packing)
        #expect(packed.status == 0, "\(packed.errors)")
    }

    /// What the server does from now on; `nil` for what it should.
    func set(_ fault: Fault?) { self.fault.current.withLock { $0 = fault } }
}
