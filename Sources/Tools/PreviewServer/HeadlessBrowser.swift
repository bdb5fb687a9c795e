internal import Foundation

/// Headless Chromium, controlled by the DevTools protocol over a pipe, so that it does not listen on a port.
final class HeadlessBrowser {
    /// Failure of the browser, with a reason as the rest of a sentence.
    struct Failure: Error {
        let reason: String
    }

    /// Maximum size of a message from the browser in bytes, enough for an image in base64.
    private static let answerLimit = 256 * 1024 * 1024
    /// Maximum height of an image in pixels.
    private static let heightLimit = 8_000
    /// Maximum time in seconds to wait for a message from the browser.
    private static let timeLimit = 60.0

    private let process = Process()
    private let commands = Pipe()
    private let answers = Pipe()
    private let profile: URL
    private var received = Data()
    private var count = 0

    init(program: String) throws {
        profile = FileManager.default.temporaryDirectory.appending(path: "vitrine-browser-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: profile, withIntermediateDirectories: true)
        // The browser reads commands from file descriptor 3, and writes messages to file descriptor 4.
        process.executableURL = URL(filePath: "/bin/sh")
        var arguments = [
            "--headless=new", "--remote-debugging-pipe", "--hide-scrollbars", "--force-device-scale-factor=1",
            "--disable-dev-shm-usage", "--no-first-run", "--disable-extensions", "--disable-background-networking",
            "--disable-component-update", "--host-resolver-rules=MAP * ~NOTFOUND",
            "--user-data-dir=\(profile.path(percentEncoded: false))", "about:blank",
        ]
        // Run by root, the browser refuses to start with its sandbox. Without it, the browser is safe here because it
        // opens only pages written by this program.
        if geteuid() == 0 { arguments.insert("--no-sandbox", at: 0) }
        process.arguments =
            ["-c", "exec \"$0\" \"$@\" 3<&0 4>&1 </dev/null >/dev/null 2>&1", program] + arguments
        process.standardInput = commands
        process.standardOutput = answers
        try process.run()
    }

    /// Ends the browser and removes its temporary files.
    func end() {
        if process.isRunning { process.terminate() }
        process.waitUntilExit()
        do {
            try FileManager.default.removeItem(at: profile)
        } catch {
            // The system removes the remaining temporary files later.
        }
    }

    /// Returns a PNG image of the shop on a page.
    func picture(of page: URL, width: Int, height: Int) throws -> Data {
        let target = try call("Target.createTarget", ["url": "about:blank"])
        let attached = try call(
            "Target.attachToTarget", ["targetId": target["targetId"] ?? "", "flatten": true])
        let session = attached["sessionId"] as? String
        try call(
            "Emulation.setDeviceMetricsOverride",
            ["width": width, "height": height, "deviceScaleFactor": 1, "mobile": false], session)
        try call("Page.enable", [:], session)
        try call("Page.navigate", ["url": page.absoluteString], session)
        try wait(for: "Page.loadEventFired")
        let box = try evaluate(
            """
            document.fonts.ready.then(() => {
              document.documentElement.dataset.whole = '';
              for (const card of document.querySelectorAll('.card')) card.style.contentVisibility = 'visible';
              const box = document.querySelector('.frame').getBoundingClientRect();
              return JSON.stringify([box.left, box.top, box.width, box.height]);
            })
            """, session)
        let shot = try call(
            "Page.captureScreenshot",
            [
                "format": "png", "captureBeyondViewport": true,
                "clip": [
                    "x": max(box[0] - 12, 0), "y": max(box[1] - 12, 0), "width": min(box[2] + 24, Double(width)),
                    "height": min(box[3] + 24, Double(Self.heightLimit)), "scale": 1,
                ] as [String: Any],
            ], session)
        try call("Target.closeTarget", ["targetId": target["targetId"] ?? ""])
        guard let text = shot["data"] as? String, let picture = Data(base64Encoded: text) else {
            throw Failure(reason: "it has sent no picture")
        }
        return picture
    }
}

// MARK: Messages

extension HeadlessBrowser {
    private func evaluate(_ script: String, _ session: String?) throws -> [Double] {
        let answer = try call(
            "Runtime.evaluate", ["expression": script, "awaitPromise": true, "returnByValue": true], session)
        guard let result = answer["result"] as? [String: Any], let text = result["value"] as? String,
            let numbers = try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [Double], numbers.count == 4
        else { throw Failure(reason: "the page has no shop") }
        return numbers
    }

    @discardableResult
    private func call(_ method: String, _ parameters: [String: Any], _ session: String? = nil) throws -> [String: Any] {
        count += 1
        let number = count
        var message: [String: Any] = ["id": number, "method": method, "params": parameters]
        if let session { message["sessionId"] = session }
        let data = try JSONSerialization.data(withJSONObject: message) + [0]
        try commands.fileHandleForWriting.write(contentsOf: data)
        let answer = try self.message { $0["id"] as? Int == number }
        if let error = answer["error"] as? [String: Any] {
            throw Failure(reason: "\(method): \(error["message"] as? String ?? "an error")")
        }
        return answer["result"] as? [String: Any] ?? [:]
    }

    private func wait(for event: String) throws { _ = try message { $0["method"] as? String == event } }

    /// Returns the next message that meets a condition, and discards the messages before it.
    private func message(where condition: ([String: Any]) -> Bool) throws -> [String: Any] {
        let deadline = Date(timeIntervalSinceNow: Self.timeLimit)
        while true {
            while let end = received.firstIndex(of: 0) {
                let document = received[..<end]
                received = Data(received[(end + 1)...])
                let object = try JSONSerialization.jsonObject(with: document)
                if let message = object as? [String: Any], condition(message) { return message }
            }
            guard received.count <= Self.answerLimit else { throw Failure(reason: "its answer is too large") }
            try receive(until: deadline)
        }
    }

    private func receive(until deadline: Date) throws {
        let descriptor = answers.fileHandleForReading.fileDescriptor
        var poll = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        let remaining = Int32(max(deadline.timeIntervalSinceNow * 1_000, 0))
        let status = Foundation.poll(&poll, 1, remaining)
        guard status != 0 else { throw Failure(reason: "it did not answer within \(Int(Self.timeLimit)) seconds") }
        let data = answers.fileHandleForReading.availableData
        guard !data.isEmpty else { throw Failure(reason: "it has ended") }
        received.append(data)
    }
}
