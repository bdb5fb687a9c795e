internal import Foundation
internal import Networking

/// What is known of the images behind addresses: which file each is in, and what its server names it by.
struct ImageIndex: Sendable, Codable {
    struct Entry: Sendable, Codable {
        /// The file in the cache; `nil` where what the server has was refused, and nothing was there before.
        var file: String?
        /// In bytes; 0 without a file.
        var size = 0
        /// The address that the file came from: the catalog's own, or that of a variant. `nil` without a file.
        var source: URL?
        var validators = HTTPValidators()
        /// When the server was asked last.
        var asked: Date
        /// When it was in a catalog last.
        var used: Date
    }

    private(set) var version = 1
    var entries: [String: Entry] = [:]

    /// What the files take in all, each counted once.
    var size: Int {
        Dictionary(entries.values.compactMap { entry in entry.file.map { ($0, entry.size) } }, uniquingKeysWith: max)
            .values.reduce(0, +)
    }

    /// Leaves out what was used least recently and before a date, until there is room for so much more.
    ///
    /// - Returns: Whether there is.
    mutating func makeRoom(for size: Int, in limit: Int, leavingOutBefore date: Date) -> Bool {
        var old = entries.filter { $0.value.used < date }.sorted { $0.value.used > $1.value.used }.map(\.key)
        while self.size + size > limit, let address = old.popLast() { entries[address] = nil }
        return self.size + size <= limit
    }
}
