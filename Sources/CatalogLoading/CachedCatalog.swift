internal import Crypto
internal import Foundation
internal import Networking
internal import ProductCatalog

/// A downloaded catalog with everything that belongs to it: one file, so that nothing of it can be of another.
struct CachedCatalog: Sendable, Hashable {
    /// What says that the server's keys are good and that the catalog is.
    struct Proof: Sendable, Hashable {
        /// `<catalog>.minisig`
        var signature: Data
        /// `keys.plist`
        var keys: Data
        /// `keys.plist.minisig`
        var keysSignature: Data
    }

    /// The catalog as it was served.
    var body: Data
    /// `nil` where nobody asked for one, or the server had none.
    var proof: Proof?
    var about: About

    /// What is known about the copy.
    struct About: Sendable, Hashable, Codable {
        var url: URL
        var validators: HTTPValidators
        /// When it came.
        var fetchedDate: Date
        /// When the server last said that it is current.
        var checkedDate: Date
        /// The build of the app that wrote it.
        var appBuild: String?
        /// What was asked of its signature.
        var trust: TrustSettings?
        /// What is signed about it and kept as seen; `nil` where no good signature was.
        var seen: SeenStatement?
    }

    /// Of the two, the other would be refused as older than this one.
    func isNewer(than other: CachedCatalog) -> Bool {
        guard about.url == other.about.url, about.trust?.app == other.about.trust?.app,
            about.trust?.channel == other.about.trust?.channel, let seen = about.seen, let other = other.about.seen
        else { return false }
        return seen > other
    }

    /// The files that a signature is checked with.
    var signedFiles: SignedCatalogFiles? {
        proof.map {
            SignedCatalogFiles(
                catalog: body, signature: $0.signature, keys: $0.keys, keysSignature: $0.keysSignature)
        }
    }
}

/// What was asked of a signature, as it is written down.
struct TrustSettings: Sendable, Hashable, Codable {
    var mode: CatalogTrust.Mode
    var app: String
    var channel: String
    /// The public keys of the roots.
    var roots: [Data]

    init(_ trust: CatalogTrust) {
        mode = trust.mode
        app = trust.app
        channel = trust.channel
        roots = trust.roots.map(\.key)
    }
}

/// What orders the signed catalogs of a server.
struct SeenStatement: Sendable, Hashable, Codable, Comparable {
    var epoch: Int
    var version: Int
    /// In seconds since 1970.
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

/// The file is a line with the name of the format, one with the SHA-256 digest of all that follows, one of JSON with what
/// is known about the copy and how long each part is, and the parts.
extension CachedCatalog {
    /// Why a file is no cache.
    struct Damage: Error {
        /// What is wrong, as the rest of a sentence.
        let reason: String
    }

    private static let format = "vitrine catalog cache 1"

    private struct Header: Codable {
        var about: About
        /// Bytes of the catalog, then of its signature, of `keys.plist` and of that one's signature.
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

    /// - Throws: ``Damage`` for everything but a whole file.
    init(fileContent: Data) throws(Damage) {
        var rest = fileContent
        guard rest.takeLine() == Self.format else { throw Damage(reason: "it is of another format") }
        guard let digest = rest.takeLine(), digest == Self.digest(of: rest) else {
            throw Damage(reason: "its digest is another")
        }
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .iso8601
        guard let line = rest.takeLine(), let header = try? decoder.decode(Header.self, from: Data(line.utf8)) else {
            throw Damage(reason: "what it says about itself cannot be read")
        }
        var parts: [Data] = []
        for length in header.lengths {
            guard 0...rest.count ~= length else { throw Damage(reason: "it ends too early") }
            parts.append(Data(rest.prefix(length)))
            rest = rest.dropFirst(length)
        }
        guard rest.isEmpty, let body = parts.first, [1, 4].contains(parts.count) else {
            throw Damage(reason: "its parts are not those of a catalog")
        }
        self.body = body
        proof = parts.count == 1 ? nil : Proof(signature: parts[1], keys: parts[2], keysSignature: parts[3])
        about = header.about
    }

    private static func digest(of content: Data) -> String {
        SHA256.hash(data: content).map { String(format: "%02x", $0) }.joined()
    }
}

extension Data {
    /// Takes away what stands before the first line feed, and that.
    ///
    /// - Returns: `nil` where there is none, or no UTF-8 before it.
    fileprivate mutating func takeLine() -> String? {
        guard let end = firstIndex(of: UInt8(ascii: "\n")), let line = String(data: self[..<end], encoding: .utf8)
        else { return nil }
        self = self[(end + 1)...]
        return line
    }
}
