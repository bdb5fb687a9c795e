import Foundation
import Testing
import VitrinePropertyList
import VitrineTestSupport

/// Conformance files of other implementations, where a developer has the corpus.
@Suite(.hangLimit, .enabled(if: Repository.corpus("plist-conformance") != nil, "the corpus is not here"))
struct ConformanceTests {
    private struct Entry {
        let path: String
        let note: String

        var expectsReading: Bool { note.contains("expect=ok") }
        var expectsRefusal: Bool { note.contains("expect=reject") }
        /// `true` for a file that is neither XML nor binary.
        var isForeign: Bool {
            note.hasPrefix("openstep-or-json") || note.contains("OpenStep") || note.hasPrefix("other")
        }
    }

    /// Files whose result differs from the list, with the reason.
    private static let disagreements = [
        "CFPropertyList/binary.plain.plist": "an old-style file, which begins like XML",
        "dd-plist/github-issue31.plist": "refused by a validator of its project; well formed, and read by all others",
        "dd-plist/github-issue42.plist": "a keyed archive inside a file that is cut off",
        "dd-plist/test-ascii-utf-16be.plist": "an old-style file",
        "dd-plist/test-ascii-utf-16le.plist": "an old-style file",
        "dd-plist/test-ascii-utf-32le.plist": "an old-style file",
        "dd-plist/test-ascii-utf-8.plist": "an old-style file",
        "libplist/data/amp.plist": "an ampersand that begins no entity is not well formed",
        "swift-foundation/JSON/javascriptcore_tests.plist":
            "a character reference to a backspace, which XML 1.0 forbids",
    ]

    private func entries() throws -> [Entry] {
        let folder = try #require(Repository.corpus("plist-conformance")?.deletingLastPathComponent())
        let manifest = try String(contentsOf: folder.appending(path: "MANIFEST.tsv"), encoding: .utf8)
        return manifest.split(separator: "\n").compactMap { line in
            let fields = line.split(separator: "\t", omittingEmptySubsequences: false)
            guard fields[0].hasPrefix("plist-conformance/") else { return nil }
            return Entry(path: String(fields[0]), note: String(fields[8]))
        }
    }

    @Test func `each file of the conformance corpus is read or refused as its manifest expects`() throws {
        let folder = try #require(Repository.corpus("plist-conformance")?.deletingLastPathComponent())
        var unexpected: [String] = []
        for entry in try entries() {
            let bytes = Array(try Data(contentsOf: folder.appending(path: entry.path)))
            var problem: String?
            do {
                let document = try PropertyListDocument(bytes: bytes)
                if entry.expectsRefusal { problem = "read, and expected to be refused" }
                let binary = try PropertyListDocument(bytes: document.bytes(as: .binary))
                if try binary.bytes(as: .binary) != document.bytes(as: .binary) { problem = "not the same in binary" }
            } catch {
                if entry.expectsReading, !entry.isForeign { problem = "refused: \(error)" }
            }
            let isListed = Self.disagreements[String(entry.path.dropFirst("plist-conformance/".count))] != nil
            if let problem, !isListed { unexpected.append("\(entry.path): \(problem) [\(entry.note)]") }
            if problem == nil, isListed { unexpected.append("\(entry.path): agrees, and is listed") }
        }
        #expect(unexpected.isEmpty, Comment(rawValue: unexpected.joined(separator: "\n")))
    }
}
