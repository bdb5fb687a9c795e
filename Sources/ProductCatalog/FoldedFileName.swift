internal import Foundation

extension String {
    /// File name folded for a file system that ignores case and Unicode normalization. Names with equal folded names
    /// refer to the same file in a folder.
    package var foldedFileName: String {
        utf8.allSatisfy { $0 < 0x80 } ? lowercased() : precomposedStringWithCanonicalMapping.uppercased().lowercased()
    }
}
