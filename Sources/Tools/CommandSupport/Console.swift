import ArgumentParser
import Foundation
import VitrineCatalog
import VitrineFileSystem
import VitrineSupport

/// Output streams of a command.
package enum Console {
    /// Writes lines to standard output. A failure ends the command with exit status 74.
    package static func write(_ lines: [String]) throws {
        guard !lines.isEmpty else { return }
        try write(Array((lines.joined(separator: "\n") + "\n").utf8))
    }

    /// Writes bytes to standard output. A failure ends the command with exit status 74.
    package static func write(_ bytes: [UInt8]) throws {
        do {
            try StandardStream.write(bytes, to: STDOUT_FILENO)
        } catch {
            say("error: the output cannot be written: \(error.reason)")
            throw ExitCode(ExitStatus.inputOutput.rawValue)
        }
    }

    /// `true` if standard output is a terminal with colors and the user has not requested [no colors](https://no-color.org).
    package static var isColored: Bool {
        isScreen(STDOUT_FILENO) && ProcessInfo.processInfo.environment["NO_COLOR"].map(\.isEmpty) ?? true
    }

    /// Returns `true` for a terminal that carries out escape sequences. One of the type `dumb`, such as a shell in an editor,
    /// would show them as text.
    package static func isScreen(_ descriptor: CInt) -> Bool {
        isatty(descriptor) == 1 && ProcessInfo.processInfo.environment["TERM"] != "dumb"
    }

    /// `true` in a job of GitHub Actions or Azure Pipelines, whose runner carries out commands in what is printed.
    package static var isJob: Bool {
        let environment = ProcessInfo.processInfo.environment
        return ["GITHUB_ACTIONS", "TF_BUILD"].contains { environment[$0]?.isEmpty == false }
    }

    /// Writes a message, prefixed with the name of the tool, to standard error.
    package static func say(_ message: String) {
        pass("vitrine: \(message)")
    }

    /// Writes a line to standard error without the name of the tool. A failure is ignored, because no stream is left to
    /// report it.
    package static func pass(_ line: String) { draw("\(line.withoutControlCharacters)\n") }

    /// Writes a text, which may have control characters, to standard error without the end of a line. A failure is ignored
    /// likewise.
    package static func draw(_ text: String) {
        try? StandardStream.write(Array(text.utf8), to: STDERR_FILENO)
    }

    /// Ends the process with exit status 69 if its arguments are missing because `/proc`, from which Swift on Linux
    /// reads them, is not mounted.
    package static func requireArguments() {
        guard CommandLine.arguments.isEmpty else { return }
        say("error: the arguments cannot be read: /proc is not mounted")
        exit(ExitStatus.unavailable.rawValue)
    }

    package static func encode(_ value: any Encodable) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        // As the texts of all dates: the strategy .iso8601 uses the Julian calendar before 1582.
        encoder.dateEncodingStrategy = .custom { date, encoder in
            var container = encoder.singleValueContainer()
            try container.encode(date.inSeconds)
        }
        return String(decoding: try encoder.encode(value), as: UTF8.self)
    }
}

extension Int {
    /// Returns the number with a noun, in the plural unless the number is 1: "2 files".
    package func with(_ noun: String) -> String { "\(self) \(noun)\(self == 1 ? "" : "s")" }
}

extension String {
    /// Text as argument of a shell command, in quotes if necessary.
    package var inShell: String {
        let isPlain = !isEmpty && utf8.allSatisfy { $0.isASCIILetterOrDigit || "/._-+,@%".utf8.contains($0) }
        return isPlain ? self : "'" + replacing("'", with: "'\\''") + "'"
    }

    /// Text with control characters and other misleading characters escaped, and with what a runner of GitHub Actions or
    /// an agent of Azure Pipelines would carry out as a command, because names in files may contain any character.
    package var withoutControlCharacters: String {
        let commands = runnerCommands
        guard !commands.isEmpty || unicodeScalars.contains(where: \.misleads) else { return self }
        return unicodeScalars.enumerated().reduce(into: "") { line, scalar in
            let (offset, scalar) = scalar
            line +=
                commands.contains(offset)
                ? "\\u{\(String(scalar.value, radix: 16, uppercase: true))}"
                : scalar.misleads ? scalar.escaped(asASCII: true) : String(scalar)
        }
    }

    /// Text without the marks of the writing direction, which amounts of money contain in languages that are written from
    /// right to left, and which the console would show as escape sequences.
    package var withoutDirectionMarks: String {
        let marks: Set<Unicode.Scalar> = ["\u{061C}", "\u{200E}", "\u{200F}"]
        return String(String.UnicodeScalarView(unicodeScalars.filter { !marks.contains($0) }))
    }

    /// `true` if a runner would carry out the text, or a line in it, as a command.
    package var holdsRunnerCommand: Bool {
        split(whereSeparator: \.isNewline).contains { !String($0).runnerCommands.isEmpty }
    }

    /// Positions of the characters that make commands of a line: the first of `::` at the beginning, after spaces, and the
    /// bracket of `##[`, or of `##vso[` and the like, anywhere.
    private var runnerCommands: Set<Int> {
        guard utf8.contains(where: { $0 == UInt8(ascii: ":") || $0 == UInt8(ascii: "#") }) else { return [] }
        let scalars = Array(unicodeScalars)
        var positions: Set<Int> = []
        let start = scalars.firstIndex { !$0.properties.isWhitespace } ?? scalars.endIndex
        if scalars[start...].starts(with: "::".unicodeScalars) { positions.insert(start) }
        for bracket in scalars.indices where scalars[bracket] == "[" {
            // Azure Pipelines names itself in a command that does more than format a line, in any case of the letters.
            let mark = scalars[..<bracket].lastIndex { !($0.isASCII && $0.properties.isAlphabetic) } ?? 0
            guard mark > 0, scalars[mark] == "#", scalars[mark - 1] == "#" else { continue }
            positions.insert(bracket)
        }
        return positions
    }
}

extension Unicode.Scalar {
    /// `true` if the character controls a terminal, changes the writing direction, ends a line, or is invisible.
    fileprivate var misleads: Bool {
        switch value {
        case 0x061C, 0x200B, 0x200E, 0x200F, 0x2028...0x202E, 0x2066...0x2069, 0xFEFF: true
        default: isControl
        }
    }
}
