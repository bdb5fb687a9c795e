import Foundation
import Testing
import VitrineTestSupport

/// Command `vitrine-server preview`, run as a process.
@Suite(.blocksThreads) struct PreviewCommandTests {
    private struct Result {
        let status: Int32
        let output, errors: String
    }

    private static let tool = Bundle.main.bundleURL.appending(path: "vitrine-server")

    /// Starts the command with a temporary folder of its own.
    private func start(
        _ arguments: [String], in folder: TemporaryFolder, path: String? = nil
    ) throws -> (process: Process, output: Pipe, errors: Pipe) {
        let (process, output, errors) = (Process(), Pipe(), Pipe())
        process.executableURL = Self.tool
        process.arguments = ["preview"] + arguments
        var environment = ProcessInfo.processInfo.environment
        environment["TMPDIR"] = folder.url.path(percentEncoded: false)
        if let path { environment["PATH"] = path }
        process.environment = environment
        (process.standardOutput, process.standardError) = (output, errors)
        try process.run()
        return (process, output, errors)
    }

    private func run(_ arguments: String..., path: String? = nil) throws -> Result {
        let folder = try TemporaryFolder()
        let running = try start(arguments, in: folder, path: path)
        let output = try running.output.fileHandleForReading.readToEnd() ?? Data()
        let errors = try running.errors.fileHandleForReading.readToEnd() ?? Data()
        running.process.waitUntilExit()
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path(percentEncoded: false)).isEmpty)
        return Result(
            status: running.process.terminationStatus, output: String(decoding: output, as: UTF8.self),
            errors: String(decoding: errors, as: UTF8.self))
    }

    private static let catalog = Repository.sample("Voyager.plist").path(percentEncoded: false)

    @Test(arguments: [SIGTERM, SIGINT])
    func `the preview command prints its address, and a signal ends it and removes its temporary files`(_ signal: Int32)
        async throws
    {
        let folder = try TemporaryFolder()
        let running = try start([Self.catalog, "--json"], in: folder)
        struct Ready: Decodable {
            let url: URL
        }
        let line = running.output.fileHandleForReading.availableData
        let url = try JSONDecoder().decode(Ready.self, from: line).url
        let port = try #require(url.port)
        let page = try await PreviewClient(port: port).send(
            "GET", "/\(url.pathComponents[1])/", host: "127.0.0.1:\(port)")
        #expect(page.status == 200)
        kill(running.process.processIdentifier, signal)
        running.process.waitUntilExit()
        #expect(running.process.terminationStatus == 0)
        let errors = try running.errors.fileHandleForReading.readToEnd() ?? Data()
        #expect(String(decoding: errors, as: UTF8.self).isEmpty)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path(percentEncoded: false)).isEmpty)
    }

    @Test func `the preview command exits with status 69 if pictures are requested without Chromium`() throws {
        let result = try run(Self.catalog, "--pictures", "/nowhere", path: "/nowhere")
        #expect(result.status == 69)
        #expect(result.errors.contains("apt-get install chromium"))
    }

    @Test func `the preview command exits with status 66 if the catalog does not exist`() throws {
        let result = try run("/nowhere.plist")
        #expect(result.status == 66)
        #expect(result.errors.contains("nowhere.plist"))
    }

    @Test func `the preview command exits with status 74 if the port is in use`() async throws {
        let other = try await LoopbackServer()
        let result = try run(Self.catalog, "--port", String(try #require(other.url.port)))
        #expect(result.status == 74)
        #expect(result.errors.contains("the port is in use already"))
    }

    @Test func `the preview command refuses invalid or contradictory options`() throws {
        let wrong = [["--port", "70000"], ["--port", "80", "--export", "x"], ["--store", ""], ["--hide-warnings"]]
        for arguments in wrong {
            let folder = try TemporaryFolder()
            let running = try start([Self.catalog] + arguments, in: folder)
            running.process.waitUntilExit()
            #expect(running.process.terminationStatus == 64, "\(arguments)")
        }
    }
}
