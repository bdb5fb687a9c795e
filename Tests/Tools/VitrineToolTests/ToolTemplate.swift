import Foundation
import Testing
import VitrineTestSupport

/// Working directory of the tool, with a home, with which several tests begin. It is made once in a process, by the first
/// of them, and removed when the process exits.
struct ToolTemplate: Sendable {
    private let made: Result<TemporaryFolder, any Error>

    private static let folders: Recorder<URL> = {
        atexit { for folder in ToolTemplate.folders.values { try? FileManager.default.removeItem(at: folder) } }
        return Recorder<URL>()
    }()

    init(_ make: () throws -> Tool) {
        made = Result { try make().folder }
        if let folder = try? made.get() { Self.folders.record(folder.url) }
    }

    /// Returns a tool in a copy of the directory.
    func tool() throws -> Tool {
        let (template, tool) = (try made.get(), try Tool())
        for name in try FileManager.default.contentsOfDirectory(atPath: template.url.path()) {
            try FileManager.default.copyItem(at: template[name], to: tool.folder[name])
        }
        // The settings of a home name the catalog by its absolute path.
        let settings = tool.home.appending(path: "vitrine.json")
        let text = try String(contentsOf: settings, encoding: .utf8)
            .replacing(template.url.lastPathComponent, with: tool.folder.url.lastPathComponent)
        try Data(text.utf8).write(to: settings)
        return tool
    }
}
