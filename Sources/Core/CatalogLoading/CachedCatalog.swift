internal import Crypto
internal import Foundation
internal import VitrineCatalog
internal import VitrineNetworking
internal import VitrineSupport

/// A downloaded catalog with its signatures, keys and metadata. All parts are stored in one file, so that parts of
/// different downloads cannot be mixed.
struct CachedCatalog: Sendable, Hashable {
    /// Signature files that authenticate the server's keys and the catalog.
    struct Proof: Sendable, Hashable {
        /// Content of `<catalog>.minisig`.
        var signature: Data
        /// Content of `keys.plist`.
        var keys: Data
        /// Content of `keys.plist.minisig`.
        var keysSignature: Data
    }

    /// The catalog's bytes as received from the server.
    var body: Data
    /// Signature files of the catalog and its keys; `nil` if none were requested or received.
    var proof: Proof?
    var about: About

    /// Metadata of the cached copy of a catalog.
    struct About: Sendable, Hashable, Codable {
        var url: URL
        var validators: HTTPValidators
        /// Date of the catalog's download.
        var fetchedDate: Date
        /// Date of the catalog's download, or of the server's last confirmation that the cached copy is current.
        var checkedDate: Date
        /// Build number of the app that wrote the cached copy.
        var appBuild: String?
        /// Trust settings that were used to check the signature.
        var trust: TrustSettings?
        /// Recorded epoch, version and date of issue from the catalog's signature; `nil` if the catalog has no valid
        /// signature.
        var seen: SeenStatement?
        /// Version of the catalog; `nil` if it has none.
        var version: Int?
    }

    /// Returns `true` if another cached catalog would be rejected because it is older than this one: valid signatures
    /// decide, and if the other one has none, the versions.
    func isNewer(than other: CachedCatalog, acceptingOlderVersions: Bool) -> Bool {
        guard about.url == other.about.url, about.trust?.app == other.about.trust?.app,
            about.trust?.channel == other.about.trust?.channel
        else { return false }
        return switch (about.seen, other.about.seen) {
        case (let seen?, let other?): seen > other
        case (_, nil): !acceptingOlderVersions && other.about.version.isVersion(before: about.version)
        case (nil, _?): false
        }
    }

    /// Files needed to check the signature of the catalog; `nil` if the cached copy has no signature files.
    var signedFiles: SignedCatalogFiles? {
        proof.map {
            SignedCatalogFiles(
                catalog: body, signature: $0.signature, keys: $0.keys, keysSignature: $0.keysSignature)
        }
    }
}

/// Trust settings for signatures of catalogs, in the form in which the cache file stores them.
struct TrustSettings: Sendable, Hashable, Codable {
    var mode: CatalogTrust.Mode
    var app: String
    var channel: String
    /// Public root keys, which may sign `keys.plist`.
    var roots: [Data]

    init(_ trust: CatalogTrust) {
        mode = trust.mode
        app = trust.app
        channel = trust.channel
        roots = trust.roots.map(\.key)
    }
}

/// Epoch, version and date of issue of a signed catalog. They decide which of two catalogs is newer.
struct SeenStatement: Sendable, Hashable, Codable, Comparable {
    var epoch: Int
    var version: Int
    /// Date of issue in seconds since 1970.
    var issued: Int64

    init(_ statement: CatalogStatement) {
        epoch = statement.epoch
        version = statement.version
        issued = statement.issued.milliseconds / 1_000
    }

    static func < (one: SeenStatement, other: SeenStatement) -> Bool {
        (one.epoch, one.version, one.issued) < (other.epoch, other.version, other.issued)
    }
}

// MARK: The file

/// Conversion to and from the format of the cache file: a line with the name of the format, a line with the SHA-256
/// digest of the rest, a line of JSON with the metadata and the length of each part, and the parts.
extension CachedCatalog {
    private static let format = "vitrine catalog cache 1"

    private struct Header: Codable {
        var about: About
        /// Lengths in bytes of the catalog, its signature, `keys.plist` and the signature of `keys.plist`.
        var lengths: [Int]
    }

    var fileContent: Data {
        get throws {
            let parts = [body] + (proof.map { [$0.signature, $0.keys, $0.keysSignature] } ?? [])
            let encoder = JSONEncoder()
            encoder.dateEncodingStrategy = .iso8601
            encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
            var content = try encoder.encode(Header(about: about, lengths: parts.map(\.count)))
            content.append(UInt8(ascii: "\n"))
            for part in parts { content.append(part) }
            return Data("\(Self.format)\n\(Self.digest(of: content))\n".utf8) + content
        }
    }

    /// Parses a cache file.
    ///
    /// - Throws: ``CatalogCacheError`` if the file is incomplete or invalid.
    init(fileContent: Data) throws(CatalogCacheError) {
        var rest = fileContent
        guard rest.popLine() == Self.format else {
            throw CatalogCacheError(reason: "the format of the cache file is unknown")
        }
        guard let digest = rest.popLine(), digest == Self.digest(of: rest) else {
            throw CatalogCacheError(reason: "the digest in the cache file does not match its content")
        }
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .iso8601
        guard let line = rest.popLine(), let header = try? decoder.decodeForeign(Header.self, from: Data(line.utf8))
        else {
            throw CatalogCacheError(reason: "the header of the cache file cannot be parsed")
        }
        var parts: [Data] = []
        for length in header.lengths {
            guard 0...rest.count ~= length else { throw CatalogCacheError(reason: "the cache file is truncated") }
            parts.append(Data(rest.prefix(length)))
            rest = rest.dropFirst(length)
        }
        guard rest.isEmpty, let body = parts.first, [1, 4].contains(parts.count) else {
            throw CatalogCacheError(reason: "the files in the cache file do not match the lengths in its header")
        }
        self.body = body
        proof = parts.count == 1 ? nil : Proof(signature: parts[1], keys: parts[2], keysSignature: parts[3])
        about = header.about
    }

    private static func digest(of content: Data) -> String { SHA256.hash(data: content).hexadecimal }
}

extension Int? {
    /// Returns `true` if a catalog with this version, or none, is older than one with another version. The catalog before
    /// the first one that has a version has none.
    func isVersion(before present: Int?) -> Bool {
        guard let present else { return false }
        return map { $0 < present } ?? true
    }
}

extension Data {
    /// Removes the first line, including its line feed, and returns the line.
    ///
    /// - Returns: `nil` if there is no line feed, or the line is not UTF-8.
    fileprivate mutating func popLine() -> String? {
        guard let end = firstIndex(of: UInt8(ascii: "\n")), let line = String(data: self[..<end], encoding: .utf8)
        else { return nil }
        self = self[(end + 1)...]
        return line
    }
}
