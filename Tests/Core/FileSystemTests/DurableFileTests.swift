import Foundation
import Testing
import VitrineFileSystem
import VitrineSupport
import VitrineTestSupport

@Suite(.hangLimit) struct DurableFileTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// The slash at the end of a URL, and what it would form one character with.
    @Test(arguments: ["/a/b", "/a/b/", "/a/b//", "/a/\u{600}", "/a/\u{600}/", "/a/e\u{301}/", "/"])
    func `the path for system calls is the path of the URL without slashes at its end`(text: String) throws {
        let bytes = Array(text.utf8)
        let end = bytes.lastIndex { $0 != UInt8(ascii: "/") } ?? 0
        let path = URL(
            filePath: text, directoryHint: text.utf8.last == UInt8(ascii: "/") ? .isDirectory : .notDirectory
        )
        .systemPath
        #expect(Array(path.utf8) == Array(bytes[...end]))
    }

    @Test func `a file is replaced completely and leaves no temporary file behind`() throws {
        let file = folder["settings"]
        try DurableFile.write(Data("old".utf8), to: file)
        try DurableFile.write(Data("new".utf8), to: file)

        #expect(try Data(contentsOf: file) == Data("new".utf8))
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path()) == ["settings"])
    }

    @Test func `a temporary file left by a killed process is deleted at the next write of the file`() throws {
        let (left, other) = (".settings.\(UUID().uuidString)", ".other.\(UUID().uuidString)")
        for name in [left, other, ".settings.text"] { try folder.write("half", to: name) }
        try DurableFile.write(Data("new".utf8), to: folder["settings"])

        let names = try FileManager.default.contentsOfDirectory(atPath: folder.url.path())
        #expect(Set(names) == ["settings", other, ".settings.text"])
    }

    @Test func `a temporary file that another process has locked is not deleted`() throws {
        let name = ".settings.\(UUID().uuidString)"
        let file = try FileHandle(forWritingTo: folder.write("half", to: name))
        #expect(flock(file.fileDescriptor, LOCK_EX) == 0)
        try DurableFile.write(Data("new".utf8), to: folder["settings"])
        #expect(try Set(FileManager.default.contentsOfDirectory(atPath: folder.url.path())) == ["settings", name])

        #expect(flock(file.fileDescriptor, LOCK_UN) == 0)
        try DurableFile.write(Data("new".utf8), to: folder["settings"])
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path()) == ["settings"])
    }

    @Test func `concurrent writes of one file all succeed and leave no temporary files`() async throws {
        let file = folder["settings"]
        await withTaskGroup { group in
            for number in 0..<40 {
                group.addTask {
                    #expect(throws: Never.self) { try DurableFile.write(Data("\(number)".utf8), to: file) }
                }
            }
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path()) == ["settings"])
    }

    @Test(
        arguments: [
            (13, "the disk is full"), (5, "another process has locked it for too long"),
            (999, "the database reports the error code 999"),
        ] as [(Int32, String)])
    func `a database error code is translated into a readable reason`(code: Int32, text: String) {
        #expect(DatabaseReason.reason(forCode: code) == text)
    }

    @Test func `a file system error is translated into a readable reason`() throws {
        let link = folder["link"]
        try FileManager.default.createSymbolicLink(at: link, withDestinationURL: link)
        let error = #expect(throws: FileSystemError.self) { try BoundedFile.read(link, limit: 1) }
        #expect(error?.reason == "it is a link, or the path has too many links")
        let unknown = NSError(domain: "Elsewhere", code: 7)
        #expect(BoundedFile.reason(for: unknown) == "the system reports error 7 of Elsewhere")
    }

    @Test func `a failed write throws an error and leaves only the existing item in the folder`() throws {
        try folder.write("old", to: "target/settings")

        #expect(throws: (any Error).self) { try DurableFile.write(Data("new".utf8), to: folder["target"]) }
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path()) == ["target"])
    }
}
