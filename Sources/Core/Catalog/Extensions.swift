package import Foundation
internal import VitrineSupport

extension UInt8 {
    /// `true` if the byte is a letter or a decimal digit in ASCII.
    package var isASCIILetterOrDigit: Bool {
        switch self {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: false
        }
    }
}

extension UnsafeBufferPointer<UInt8> {
    /// Returns `true` if the bytes begin with a text.
    func begins(with text: StaticString) -> Bool {
        guard let baseAddress, count >= text.utf8CodeUnitCount else { return false }
        return memcmp(baseAddress, text.utf8Start, text.utf8CodeUnitCount) == 0
    }
}

extension String {
    /// The string for use in a message: in quotes, truncated to 100 scalars, and with quotes, backslashes and control
    /// characters escaped, so that the closing quote can be found.
    package var quoted: String {
        let shown = unicodeScalars.prefix(Self.longestShown).map { scalar in
            if scalar == "\"" || scalar == "\\" { return "\\\(scalar)" }
            return scalar.isControl ? scalar.escaped(asASCII: true) : String(scalar)
        }
        return "\"\(shown.joined())\(unicodeScalars.count > Self.longestShown ? "…" : "")\""
    }

    private static let longestShown = 100
}

extension String {
    /// File name folded for a file system that ignores case, Unicode normalization and invisible characters. Names with
    /// equal folded names refer to the same file in a folder.
    package var foldedFileName: String {
        let isASCII = utf8.allSatisfy { $0 < 0x80 }
        if isASCII, !utf8.contains(where: { UInt8(ascii: "A")...UInt8(ascii: "Z") ~= $0 }) { return self }
        if isASCII { return lowercased() }
        let compared = String(UnicodeScalarView(unicodeScalars.filter { !$0.isIgnoredInFileNames }))
        return compared.precomposedStringWithCanonicalMapping.uppercased().lowercased()
    }
}

extension Unicode.Scalar {
    /// `true` for characters that HFS Plus ignores in comparisons of names
    /// ([TN1150](https://developer.apple.com/library/archive/technotes/tn/tn1150.html), table of `FastUnicodeCompare`).
    fileprivate var isIgnoredInFileNames: Bool {
        switch value {
        case 0x200C...0x200F, 0x202A...0x202E, 0x206A...0x206F, 0xFEFF: true
        default: false
        }
    }
}

extension [String] {
    /// The strings without duplicates, each at its first position.
    package var withoutDuplicates: [String] {
        var seen: Set<String> = []
        return filter { seen.insert($0).inserted }
    }
}

/// Conversion of dates to their stored form in databases: whole milliseconds since 1970.
extension Date {
    package init(milliseconds: Int64) { self.init(timeIntervalSince1970: Double(milliseconds) / 1_000) }

    /// Milliseconds since 1970, limited to a hundred thousand years before or after it.
    package var milliseconds: Int64 {
        let limit = 100_000 * 365.25 * 86_400
        return Int64((max(-limit, min(limit, timeIntervalSince1970)) * 1_000).rounded())
    }
}
