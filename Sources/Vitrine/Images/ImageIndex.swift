internal import Foundation
internal import Networking

/// Index of images by address: the file of each image, and the validators of its server.
struct ImageIndex: Sendable, Codable {
    struct Entry: Sendable, Codable {
        /// File name in the cache; `nil` if the server's image was rejected, and there was none before.
        var file: String?
        /// Size in bytes; 0 without a file.
        var size = 0
        /// Address from which the file was fetched: the catalog's own, or that of a variant. `nil` without a file.
        var source: URL?
        var validators = HTTPValidators()
        /// Date of the last request to the server.
        var asked: Date
        /// Date when the image was last named by a catalog.
        var used: Date
    }

    private(set) var version = 1
    var entries: [String: Entry] = [:]

    /// Total size of the files in bytes, each counted once.
    var size: Int {
        Dictionary(entries.values.compactMap { entry in entry.file.map { ($0, entry.size) } }, uniquingKeysWith: max)
            .values.reduce(0, +)
    }

    /// Removes entries last used before a date, least recently used first, until there is room for a number of further
    /// bytes.
    ///
    /// - Returns: `true` if there is enough room.
    mutating func makeRoom(for size: Int, in limit: Int, leavingOutBefore date: Date) -> Bool {
        var old = entries.filter { $0.value.used < date }.sorted { $0.value.used > $1.value.used }.map(\.key)
        while self.size + size > limit, let address = old.popLast() { entries[address] = nil }
        return self.size + size <= limit
    }
}
