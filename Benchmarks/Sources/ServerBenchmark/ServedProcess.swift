import Foundation
import Hummingbird
import Logging
import Measuring
import VitrineAppStoreEmulator
import VitrineReceipts
import VitrineStoreSimulator

/// Server in a process of its own: this program, called again.
final class ServedProcess {
    private let process = Process()
    private let input = Pipe()
    private let url: String
    private let token: String

    /// - Parameter input: Bytes that the process reads from its standard input at first.
    init(_ arguments: [String], input bytes: Data = Data()) throws {
        let output = Pipe()
        process.executableURL = URL(
            filePath: try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe"))
        process.arguments = arguments
        (process.standardInput, process.standardOutput) = (input, output)
        try process.run()
        try input.fileHandleForWriting.write(contentsOf: Data("\(bytes.count)\n".utf8) + bytes)
        var text = ""
        while !text.contains("\n") {
            let data = output.fileHandleForReading.availableData
            guard !data.isEmpty else { throw CancellationError() }
            text += String(decoding: data, as: UTF8.self)
        }
        let parts = text.split(whereSeparator: \.isWhitespace).map(String.init)
        (url, token) = (parts[0], parts[1])
    }

    func end() {
        process.terminate()
        process.waitUntilExit()
    }

    /// Memory of the process that is resident, in MiB.
    var memory: Double {
        let status = try? String(contentsOfFile: "/proc/\(process.processIdentifier)/status", encoding: .utf8)
        let line = status?.split(separator: "\n").first { $0.hasPrefix("VmRSS") }
        return line.flatMap { Double($0.filter(\.isNumber)) }.map { $0 / 1_024 } ?? .nan
    }

    /// Returns the answer to a look-up of a transaction.
    func answer(about transaction: Int) throws -> Data {
        Data(try Self.run("curl", ["-sf", "-H", "Authorization: Bearer \(token)", "\(url)\(transaction)"]).utf8)
    }

    /// Returns the number of look-ups of one transaction a second.
    func requests(about transaction: Int, during seconds: Int) throws -> Double {
        let printed = try Self.run(
            "wrk", ["-t1", "-c32", "-d\(seconds)s", "-H", "Authorization: Bearer \(token)", "\(url)\(transaction)"])
        return try Self.rate(in: printed)
    }

    /// Returns the number of look-ups a second, each of another transaction.
    ///
    /// - Parameter count: Number of transactions, whose numbers follow each other.
    func firstRequests(from transaction: Int, during seconds: Int, atMost count: Int) throws -> Double {
        let script = FileManager.default.temporaryDirectory.appending(path: "vitrine-\(UUID().uuidString).lua")
        let path = URL(string: url)?.path(percentEncoded: true) ?? "/"
        try """
        local number = \(transaction - 1)
        request = function()
            number = number + 1
            return wrk.format("GET", "\(path)" .. string.format("%d", number))
        end
        """.write(to: script, atomically: true, encoding: .utf8)
        defer { try? FileManager.default.removeItem(at: script) }
        let printed = try Self.run(
            "wrk",
            [
                "-t1", "-c32", "-d\(seconds)s", "-H", "Authorization: Bearer \(token)", "-s", script.path, url,
            ])
        let rate = try Self.rate(in: printed)
        precondition(rate * Double(seconds) < Double(count), "there are too few transactions for first look-ups")
        return rate
    }

    private static func rate(in printed: String) throws -> Double {
        precondition(!printed.contains("Non-2xx"), "requests were refused:\n\(printed)")
        let line = printed.split(separator: "\n").first { $0.hasPrefix("Requests/sec:") }
        guard let rate = line?.split(separator: " ").last.flatMap({ Double($0) }) else { return .nan }
        return rate
    }

    private static func run(_ program: String, _ arguments: [String]) throws -> String {
        let (process, output) = (Process(), Pipe())
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = [program] + arguments
        process.standardOutput = output
        try process.run()
        let printed = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        precondition(process.terminationStatus == 0, "\(program) failed")
        return String(decoding: printed, as: UTF8.self)
    }
}

extension ServedProcess {
    /// Serves the store in a folder, and prints the address of look-ups with a token for them.
    static func serveStore(in folder: URL) async throws {
        _ = try input()
        let store = try SimulatedStore(folder: folder)
        let token = try await store.addServerKey().token(for: SampleStore.bundle, at: Date(), lifetime: 3_500)
        let server = AppStoreEmulator(store: store, logger: silent) { url in
            report("\(url.absoluteString)/inApps/v1/transactions/ \(token)")
        }
        try await server.run()
    }

    /// Serves the bytes of the standard input at one route, and prints its address.
    static func serveReady() async throws {
        let answer = try input()
        let router = Router()
        router.get("/inApps/v1/transactions/:id") { _, _ in
            Response(
                status: .ok, headers: [.contentType: "application/json"],
                body: ResponseBody(byteBuffer: ByteBuffer(bytes: answer)))
        }
        let application = Application(
            router: router, configuration: ApplicationConfiguration(address: .hostname("127.0.0.1", port: 0)),
            onServerRunning: { channel in
                report("http://127.0.0.1:\(channel.localAddress?.port ?? 0)/inApps/v1/transactions/ none")
            }, logger: silent)
        try await application.run()
    }

    private static var silent: Logger {
        var logger = Logger(label: "benchmark")
        logger.logLevel = .critical
        return logger
    }

    private static func report(_ line: String) {
        print(line)
        fflush(nil)
    }

    /// Reads the bytes that the parent sends: their number in a line, and then themselves.
    private static func input() throws -> [UInt8] {
        var line = ""
        while let byte = try FileHandle.standardInput.read(upToCount: 1)?.first, byte != UInt8(ascii: "\n") {
            line.append(Character(UnicodeScalar(byte)))
        }
        guard let count = Int(line) else { return [] }
        // The line is read without a buffer, so that the bytes after it remain.
        return count == 0 ? [] : Array(try FileHandle.standardInput.read(upToCount: count) ?? Data())
    }
}
