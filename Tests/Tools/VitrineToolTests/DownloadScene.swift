import Foundation
import Synchronization
import Testing
import VitrineTestSupport

/// Home whose catalog refers to content on a web server, which can simulate faults.
struct DownloadScene {
    let tool: Tool
    let server: ContentServer
    private let packing: [String]
    private let fault: FaultBox

    /// Progress of a download that stalls. The tool prints a line for each tenth, so that this one is printed at the stall.
    static let stalledProgress = "(50 %)"

    /// Size of the guide to Rome in bytes: more than two parts of a download.
    static let length = 9_000_000

    private static let lengthOfPart = 4 << 20

    enum Fault {
        /// The server does not respond.
        case silent
        /// The download stalls in the second part of an archive, as soon as half of it has been sent.
        case stalling
        /// The server has no files.
        case missing
        /// The download breaks off in the second part, and requests for later bytes get status 404.
        case ending
    }

    private final class FaultBox: Sendable {
        let current = Mutex<Fault?>(nil)
    }

    /// - Parameters:
    ///   - packages: Sample packages on the server.
    ///   - withFiles: `true` if the server also has the packages' files separately.
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
            case .stalling:
                let bounds = range.split { !$0.isNumber }.compactMap { Int($0) }
                // A request that follows the stall is answered with some further bytes.
                return reply.broken(after: max(bounds[2] / 2 + 1_000 - bounds[0], 1_000), then: .silence)
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

    /// Packs the current state of a package, and updates the server and the catalog.
    func pack(_ name: String) throws {
        let packed = try tool.run(
            ["content", "pack", "packages/\(name)", "--update-catalog", "catalog.plist"] + packing)
        #expect(packed.status == 0, "\(packed.errors)")
    }

    /// Sets the fault of the server; `nil` for no fault.
    func set(_ fault: Fault?) { self.fault.current.withLock { $0 = fault } }
}
