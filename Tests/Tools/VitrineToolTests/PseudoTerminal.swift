import Foundation
import Testing

/// Pseudo-terminal to which a program writes.
final class PseudoTerminal {
    /// Terminal for the program.
    let program: FileHandle
    private let screen: FileHandle
    private var transcript = Data()

    init(columns: Int = 80, rows: Int = 24) throws {
        let main = open("/dev/ptmx", O_RDWR | O_NOCTTY)
        try #require(main >= 0)
        screen = FileHandle(fileDescriptor: main, closeOnDealloc: true)
        let other = open(try Self.unlocked(main), O_RDWR | O_NOCTTY)
        try #require(other >= 0)
        program = FileHandle(fileDescriptor: other, closeOnDealloc: true)
        var size = winsize(ws_row: UInt16(rows), ws_col: UInt16(columns), ws_xpixel: 0, ws_ypixel: 0)
        try #require(ioctl(other, UInt(TIOCSWINSZ), &size) == 0)
        // A program that was started by another test meanwhile must not keep it open.
        for descriptor in [main, other] { try #require(fcntl(descriptor, F_SETFD, FD_CLOEXEC) == 0) }
    }

    /// Unlocks the other side of the pseudo-terminal.
    ///
    /// - Returns: The path of its device file.
    private static func unlocked(_ main: Int32) throws -> String {
        #if os(Linux)
            // TIOCSPTLCK and TIOCGPTN, of asm-generic/ioctls.h: Swift cannot read these macros.
            var (isLocked, number) = (Int32(0), Int32(0))
            try #require(ioctl(main, 0x4004_5431, &isLocked) == 0 && ioctl(main, 0x8004_5430, &number) == 0)
            return "/dev/pts/\(number)"
        #else
            try #require(grantpt(main) == 0 && unlockpt(main) == 0)
            return String(cString: try #require(ptsname(main)))
        #endif
    }

    /// Waits until the program has written a text.
    ///
    /// - Throws: An error if the program ends before.
    func wait(for text: String) throws {
        while transcript.range(of: Data(text.utf8)) == nil {
            try #require(readNext(), "the tool ended before it showed \"\(text)\"")
        }
    }

    /// Types a text, as a user does.
    func type(_ text: String) throws { try screen.write(contentsOf: Data(text.utf8)) }

    /// Reads until the program has ended.
    ///
    /// - Returns: The whole output of the program.
    func readToEnd() -> String {
        while readNext() {}
        return String(decoding: transcript, as: UTF8.self)
    }

    /// Reads the next part of the output.
    ///
    /// - Returns: `false` once no process has the other side open; Linux then reports EIO.
    private func readNext() -> Bool {
        var buffer = [UInt8](repeating: 0, count: 4_096)
        let count = read(screen.fileDescriptor, &buffer, buffer.count)
        guard count > 0 else { return false }
        transcript += buffer[..<count]
        return true
    }
}

/// Text on a terminal after all output was written: lines, and control sequences that move the cursor up and clear
/// lines.
struct ScreenText {
    /// Lines on the terminal at the end.
    private(set) var lines: [String] = []
    /// All lines that were on the terminal at any time.
    private(set) var history: [String] = []
    /// Number of times that lines were cleared to be drawn again.
    private(set) var redraws = 0

    init(_ transcript: String) throws {
        var parts = transcript.split(separator: "\r\n", omittingEmptySubsequences: false)
        if parts.last?.isEmpty == true { parts.removeLast() }
        for part in parts {
            var line = part
            while let escape = line.prefixMatch(of: /\u{1B}\[(\d+)A\u{1B}\[J/) {
                let height = try #require(Int(escape.1))
                try #require(height <= lines.count, "what has scrolled away, or was not written, is cleared")
                lines.removeLast(height)
                redraws += 1
                line = line[escape.range.upperBound...]
            }
            try #require(!line.contains("\u{1B}"))
            lines.append(String(line))
            history.append(String(line))
        }
    }
}
