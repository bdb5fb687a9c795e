internal import Foundation

extension String {
    /// The name as a file system that distinguishes neither case nor spelling of accents sees it: two names of one
    /// folder with the same folded name are one file there.
    package var foldedFileName: String {
        utf8.allSatisfy { $0 < 0x80 } ? lowercased() : precomposedStringWithCanonicalMapping.uppercased().lowercased()
    }
}
