import FileSystem
import Foundation
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(45))) struct DurableFileTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test func `a file is replaced whole, and nothing is left beside it`() throws {
        let file = folder["settings"]
        try DurableFile.write(Data("old".utf8), to: file)
        try DurableFile.write(Data("new".utf8), to: file)

        #expect(try Data(contentsOf: file) == Data("new".utf8))
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path()) == ["settings"])
    }

    @Test func `a file that cannot be written is told, and the old one stays`() throws {
        try folder.write("old", to: "target/settings")

        #expect(throws: (any Error).self) { try DurableFile.write(Data("new".utf8), to: folder["target"]) }
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path()) == ["target"])
    }
}
