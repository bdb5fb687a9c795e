import Foundation
import Logging
import Synchronization
import Testing
import VitrineShopPreview
import VitrineTestSupport

/// Event stream of a preview page, and the log.
struct PreviewStreamTests {
    @Test func `the event stream of a preview sends the current revision and then later revisions in order`()
        async throws
    {
        try await ServedPreview.run { preview in
            let first = await preview.shop.revision
            let port = try #require(preview.url.port)
            async let stream = PreviewClient(port: port).send(
                "GET", "/\(preview.token)/changes", host: "127.0.0.1:\(port)", size: 40)
            try await preview.shop.perform(.network(isOn: false))
            try await preview.shop.perform(.network(isOn: true))
            // Events that come after the answer has begun are enough: each one names the latest state.
            for _ in 0..<20 { try await preview.shop.perform(.advance(seconds: 60)) }
            let answer = try await stream
            #expect(answer.fields["content-type"] == "text/event-stream")
            expectSafe(answer)
            let numbers = answer.body.matches(of: /data: ([0-9]+)\n\n/).compactMap { Int($0.1) }
            #expect(numbers.count >= 2)
            #expect(numbers == numbers.sorted())
            #expect(try #require(numbers.first) >= first)
        }
    }

    @Test func `images of the catalog are served with their type, and other files are not served`() async throws {
        let image = try #require(
            Data(
                base64Encoded:
                    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="))
        let catalog = PlistText.document(
            """
            <array><dict><key>productIdentifier</key><string>com.example.icon</string><key>consumable</key><false/>
            <key>productIcon</key><string>icon.png</string></dict></array>
            """)
        try await ServedPreview.run(catalog: catalog, files: ["icon.png": image, "secret.png": image]) { preview in
            let page = try await preview.send()
            let name = try #require(page.body.firstMatch(of: /<img class="icon" src="(image\?name=[^"]+)"/)?.1)
            let answer = try await preview.send("GET", String(name))
            #expect(answer.status == 200)
            #expect(answer.fields["content-type"] == "image/png")
            expectSafe(answer)
            let german = try await preview.send("GET", "?language=de&storefront=DEU")
            #expect(german.body.contains("src=\"\(name)\""))
            for other in ["secret.png", "Voyager.plist", "../icon.png", "/etc/passwd", ""] {
                let answer = try await preview.send("GET", "image?name=\(other)")
                #expect(answer.status == 404, "\(other)")
            }
        }
    }

    @Test func `the access token of the preview is not in the log, even at the most detailed level`() async throws {
        let lines = LogLines()
        var logger = Logger(label: "test") { _ in RecordingHandler(lines: lines) }
        logger.logLevel = .trace
        let token = try await ServedPreview.run(logger: logger) { preview in
            for path in ["", "style.css", "unknown", "why?product=x", "image?name=x"] {
                _ = try await preview.send("GET", path)
            }
            _ = try await preview.send("POST", "actions", form: [("action", "burn")])
            _ = try await PreviewClient(port: preview.url.port ?? 0).send(
                "GET", "/\(preview.token)/", host: "evil.example")
            return preview.token
        }
        #expect(!lines.all.isEmpty)
        #expect(lines.all.allSatisfy { !$0.contains(token) })
    }
}

/// Lines of a log.
private final class LogLines: Sendable {
    private let lines = Mutex<[String]>([])

    var all: [String] { lines.withLock { $0 } }

    func append(_ line: String) { lines.withLock { $0.append(line) } }
}

private struct RecordingHandler: LogHandler {
    let lines: LogLines
    var metadata: Logger.Metadata = [:]
    var logLevel = Logger.Level.trace

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        lines.append("\(event.level) \(event.message) \(event.metadata ?? [:]) \(metadata)")
    }
}
