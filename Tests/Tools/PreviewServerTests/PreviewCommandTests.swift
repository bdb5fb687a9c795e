import Foundation
import Testing
import VitrineTestSupport

/// Command `vitrine-server preview`, run as a process.
@Suite(.blocksThreads) struct PreviewCommandTests {
    private struct Result {
        let status: Int32
        let output, errors: String
    }

    /// Line with which the command says that it is ready.
    private struct Ready: Decodable {
        let url: URL
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

    @Test(arguments: [[SIGTERM], [SIGINT], [SIGTERM, SIGINT]])
    func `a signal, or two at once, ends the preview command without a message and removes its temporary files`(
        _ signals: [Int32]
    ) async throws {
        let folder = try TemporaryFolder()
        let running = try start([Self.catalog, "--json"], in: folder)
        let line = running.output.fileHandleForReading.availableData
        let url = try JSONDecoder().decode(Ready.self, from: line).url
        let port = try #require(url.port)
        let page = try await PreviewClient(port: port).send(
            "GET", "/\(url.pathComponents[1])/", host: "127.0.0.1:\(port)")
        #expect(page.status == 200)
        for signal in signals { kill(running.process.processIdentifier, signal) }
        running.process.waitUntilExit()
        #expect(running.process.terminationStatus == 0)
        let errors = try running.errors.fileHandleForReading.readToEnd() ?? Data()
        #expect(String(decoding: errors, as: UTF8.self).isEmpty)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path(percentEncoded: false)).isEmpty)
    }

    @Test func `two previews answer only at the addresses with their secrets, and keep no scene for others`()
        async throws
    {
        let (folder, shop) = (try TemporaryFolder(), try TemporaryFolder())
        let catalog = try shop.write(Data(contentsOf: Repository.sample("Voyager.plist")), to: "c.plist")
        let previews = try (0..<2).map { _ in try start([catalog.path(percentEncoded: false), "--json"], in: folder) }
        defer { for preview in previews { preview.process.terminate() } }
        let urls = try previews.map { preview in
            try JSONDecoder().decode(Ready.self, from: preview.output.fileHandleForReading.availableData).url
        }
        let (token, other) = (urls[0].pathComponents[1], urls[1].pathComponents[1])
        let port = try #require(urls[0].port)
        let spaces = String(repeating: "%20", count: token.count - 1)
        let last = (1...0x7F).map { spaces + String(format: "%%%02X", $0) }
        let repeated = ["0", "f", "%20", "%7F", "%00", "%FF"].map { String(repeating: $0, count: token.count) }
        let (most, end) = (String(token.dropLast()), token.hasSuffix("0") ? "1" : "0")
        let near: [String] = [other, most + end, most, token + "0", String(token.prefix(16)) + other.suffix(16), ""]
        for guess in last + repeated + near {
            for (method, path) in [("GET", ""), ("POST", "scenes")] {
                let answer = try await PreviewClient(port: port).send(
                    method, "/\(guess)/\(path)", host: "127.0.0.1:\(port)",
                    headers: [("Content-Type", "application/x-www-form-urlencoded")],
                    body: method == "POST" ? "name=written&do=save" : "")
                #expect((400..<500).contains(answer.status), "\(method) /\(guess)/\(path)")
            }
        }
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: shop.url.path(percentEncoded: false)) == ["c.plist"])
        let page = try await PreviewClient(port: port).send("GET", "/\(token)/", host: "127.0.0.1:\(port)")
        #expect(page.status == 200)
    }

    @Test func `the preview command exits with status 69 if pictures are requested without Chromium`() throws {
        let result = try run(Self.catalog, "--pictures", "/nowhere", path: "/nowhere")
        #expect(result.status == 69)
        #expect(result.errors.contains("apt-get install chromium"))
    }

    @Test func `the preview command exits with status 66 if the folder with the packages does not exist`() throws {
        for content in ["/nowhere", Self.catalog] {
            let result = try run(Self.catalog, "--content", content)
            #expect(result.status == 66)
            #expect(result.errors == "vitrine: error: \(content): there is no such folder\n")
        }
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
