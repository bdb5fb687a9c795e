import ArgumentParser
import Dispatch
import FileSystem
import Foundation
import ProductCatalog

/// Output streams of a command.
enum Console {
    /// Writes lines to standard output. A failure to do so ends the command with exit status 74.
    static func write(_ lines: [String]) throws {
        guard !lines.isEmpty else { return }
        try write(Array((lines.joined(separator: "\n") + "\n").utf8))
    }

    /// Writes bytes to standard output. A failure to do so ends the command with exit status 74.
    static func write(_ bytes: [UInt8]) throws {
        do {
            try FileHandle.standardOutput.write(contentsOf: Data(bytes))
        } catch {
            say("error: the output cannot be written: \(BoundedFile.reason(for: error))")
            throw ExitCode(ExitStatus.inputOutput.rawValue)
        }
    }

    /// `true` if standard output is a terminal and the user has not asked for [no colors](https://no-color.org).
    static var isColored: Bool {
        isatty(STDOUT_FILENO) == 1 && ProcessInfo.processInfo.environment["NO_COLOR"].map(\.isEmpty) ?? true
    }

    /// Writes a message to standard error.
    static func say(_ message: String) {
        pass("vitrine: \(message)")
    }

    /// Writes a line to standard error without the tool's name. A failure to write is ignored, since no stream is left
    /// to report it.
    static func pass(_ line: String) {
        try? FileHandle.standardError.write(contentsOf: Data("\(line.withoutControlCharacters)\n".utf8))
    }

    static func encode(_ value: any Encodable) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        encoder.dateEncodingStrategy = .iso8601
        return String(decoding: try encoder.encode(value), as: UTF8.self)
    }
}

/// Rows of text under headings. Each column is as wide as its widest cell, cells of more than 120 characters aside.
struct Table {
    let headings: [String]
    var rows: [[String]] = []

    private static let widestCell = 120

    var lines: [String] {
        let all = ([headings] + rows).map { $0.map(\.withoutControlCharacters) }
        let widths = headings.indices.map { column in
            all.map { $0[column].count }.filter { $0 <= Self.widestCell }.max() ?? 0
        }
        return all.map { row in
            zip(row, widths)
                .map { cell, width in cell + String(repeating: " ", count: max(0, width - cell.count)) }
                .joined(separator: "  ")
                .trimmingTrailingSpaces()
        }
    }
}

extension String {
    /// Line with terminal control characters escaped, since names in files may contain any character.
    var withoutControlCharacters: String {
        guard unicodeScalars.contains(where: \.misleads) else { return self }
        return unicodeScalars.reduce(into: "") { line, scalar in
            line += scalar.misleads ? scalar.escaped(asASCII: true) : String(scalar)
        }
    }

    fileprivate func trimmingTrailingSpaces() -> String {
        String(self[..<(lastIndex { $0 != " " }.map(index(after:)) ?? startIndex)])
    }
}

extension Unicode.Scalar {
    /// `true` if the character controls a terminal, changes the text direction, ends a line, or is invisible.
    fileprivate var misleads: Bool {
        switch value {
        case 0x061C, 0x200B, 0x200E, 0x200F, 0x2028...0x202E, 0x2066...0x2069, 0xFEFF: true
        default: isControl
        }
    }
}

/// Request to end the tool, by Ctrl-C or SIGTERM. No other code handles these signals.
enum Interruption {
    fileprivate struct State {
        var listeners: [Int: AsyncStream<Void>.Continuation] = [:]
        var listenerCount = 0
        var sources: [any DispatchSourceSignal] = []
        var isRequested = false
    }

    fileprivate static let signals = [SIGINT, SIGTERM]
    private static let state = Locked(State())

    /// Starts to listen for signals. While any returned stream is in use, the first signal finishes all streams and
    /// does not end the process; the next signal ends the process. Once no stream is in use, each signal ends the
    /// process.
    ///
    /// - Returns: A stream without elements; finished already if there was a signal before.
    static func listen() -> AsyncStream<Void> {
        let (stream, continuation) = AsyncStream<Void>.makeStream()
        let listener: Int? = state.withLock { state in
            guard !state.isRequested else { return nil }
            if state.listeners.isEmpty { state.sources = beginHandling() }
            state.listenerCount += 1
            state.listeners[state.listenerCount] = continuation
            return state.listenerCount
        }
        guard let listener else {
            continuation.finish()
            return stream
        }
        continuation.onTermination = { _ in
            state.withLock { state in
                guard state.listeners.removeValue(forKey: listener) != nil, state.listeners.isEmpty else { return }
                state.endHandling()
            }
        }
        return stream
    }

    private static func beginHandling() -> [any DispatchSourceSignal] {
        let listening = DispatchGroup()
        let sources = signals.map { number in
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number)
            listening.enter()
            source.setRegistrationHandler { listening.leave() }
            source.setEventHandler { finishAll() }
            source.activate()
            return source
        }
        // A signal received before registration would be lost. This waits for Dispatch's own thread, not for a Swift
        // task.
        listening.wait()
        return sources
    }

    private static func finishAll() {
        let listeners = state.withLock { state in
            state.isRequested = true
            state.endHandling()
            defer { state.listeners = [:] }
            return state.listeners.values
        }
        for listener in listeners { listener.finish() }
    }
}

extension Interruption.State {
    /// Lets the signals end the process again, as they do by default.
    fileprivate mutating func endHandling() {
        for number in Interruption.signals { signal(number, SIG_DFL) }
        for source in sources { source.cancel() }
        sources = []
    }
}
