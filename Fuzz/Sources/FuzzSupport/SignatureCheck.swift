internal import Crypto
internal import Foundation
internal import VitrineCatalog
internal import VitrineCatalogLoading

/// What verifying a signed catalog promises, whatever was signed, and whatever stands where a signature should.
///
/// The first byte says what the others are.
public struct SignatureCheck {
    private let part: UInt8
    private let bytes: Data

    public init(_ bytes: [UInt8]) {
        part = (bytes.first ?? 0) % 5
        self.bytes = Data(bytes.dropFirst())
    }

    public func run() {
        switch part {
        case 0: checkKeys()
        case 1: checkComment()
        case 2: checkKeysComment()
        case 3: checkSignature()
        default: checkPublicKey()
        }
    }

    /// A root has signed bytes as `keys.plist`.
    private func checkKeys() {
        let keys = SignedPart(file: bytes, comment: Self.keysComment, key: Self.root)
        let signature = verify(keys: keys, catalog: Self.catalog)
        if case .valid(let statement) = signature {
            require(bytes.range(of: Data(Self.online.line.utf8)) != nil, "a key counts that the file names")
            require(statement.epoch >= 1, "epochs are counted from 1")
        }
    }

    /// A key has signed bytes as the trusted comment of a catalog.
    private func checkComment() {
        let comment = String(decoding: bytes, as: UTF8.self)
        let signature = verify(
            keys: Self.keys, catalog: SignedPart(file: Data("catalog".utf8), comment: comment, key: Self.online))
        switch signature {
        case .valid(let statement), .outOfDate(let statement, _):
            let written =
                "vitrine catalog app=\(statement.app) channel=\(statement.channel) version=\(statement.version) issued="
                + "\(statement.issued.formatted(.iso8601)) expires=\(statement.expires.formatted(.iso8601))"
            require(written.utf8.elementsEqual(comment.utf8), "a comment means what it would be written as")
            require(statement.version >= 0 && statement.issued < statement.expires, "a statement can be true")
        default: break
        }
    }

    /// A root has signed bytes as the trusted comment of `keys.plist`.
    private func checkKeysComment() {
        let comment = String(decoding: bytes, as: UTF8.self)
        let signature = verify(
            keys: SignedPart(file: Self.keys.file, comment: comment, key: Self.root), catalog: Self.catalog)
        if case .valid = signature { require(comment.hasPrefix("vitrine keys "), "keys are signed as keys") }
    }

    private func checkSignature() {
        let signature = verify(keys: Self.keys, catalog: Self.catalog, signature: bytes)
        if case .invalid = signature { return }
        require(comments(of: bytes) == comments(of: Self.catalog.signature), "nothing else is signed")
    }

    /// The lines that are not the signatures themselves, which may differ each time.
    private func comments(of signature: Data) -> [Data] {
        let lines = signature.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        return lines.indices.filter { $0 != 1 && $0 != 3 }.map { lines[$0] }
    }

    private func checkPublicKey() {
        let text = String(decoding: bytes, as: UTF8.self)
        guard let key = try? MinisignPublicKey(text) else { return }
        require(text.contains(key.line), "a key is read as it is written")
        require((try? MinisignPublicKey(key.line)) == key, "a key is the same when it is read again")
    }

    // MARK: Verifying

    private func verify(keys: SignedPart, catalog: SignedPart, signature: Data? = nil) -> CatalogSignature {
        let files = SignedCatalogFiles(
            catalog: catalog.file, signature: signature ?? catalog.signature, keys: keys.file,
            keysSignature: keys.signature)
        let verifier = CatalogVerifier(trust: Self.trust, numbers: NoNumbers())
        let answer = wait { await verifier.verify(files, at: Self.date) }
        switch answer {
        case .notChecked: fatalError("broken: a signature is looked at")
        case .undetermined(let obstacle): fatalError("broken: nothing has to be read: \(obstacle)")
        case .invalid(let failure), .outOfDate(_, let failure):
            require(!failure.reason.isEmpty && failure.reason.utf8.count < 5_000, "a reason is told, and in few words")
        case .valid: break
        }
        return answer
    }

    private struct NoNumbers: MonotonicCounters {
        func advance(_ name: String, to value: Int64) -> Int64 { value }

        func highest(_ name: String) -> Int64? { nil }
    }

    // MARK: What is good

    private static let date = Date(timeIntervalSince1970: 1_795_392_000)
    private static let root = FuzzKey(1)
    private static let online = FuzzKey(2)
    private static let trust: CatalogTrust = {
        guard let root = try? MinisignPublicKey(root.line) else { fatalError("broken: a key is read") }
        return CatalogTrust(mode: .enforce, roots: [root], app: "a", channel: "b")
    }()
    private static let keysComment = comment(of: "keys")
    private static let keys = SignedPart(
        file: Data(
            """
            <plist><dict><key>keys</key><array><dict><key>publicKey</key><string>\(online.line)</string>\
            <key>expires</key><date>2027-01-01T00:00:00Z</date></dict></array></dict></plist>
            """.utf8), comment: keysComment, key: root)
    private static let catalog = SignedPart(file: Data("catalog".utf8), comment: comment(of: "catalog"), key: online)

    private static func comment(of kind: String) -> String {
        "vitrine \(kind) app=a channel=b version=12 issued=2026-11-22T00:00:00Z expires=2026-11-29T00:00:00Z"
    }
}

/// An Ed25519 key as minisign has it.
private struct FuzzKey: Sendable {
    private let key: Curve25519.Signing.PrivateKey
    private let start: Data

    init(_ number: UInt8) {
        guard let key = try? Curve25519.Signing.PrivateKey(rawRepresentation: Data(repeating: number, count: 32)) else {
            fatalError("broken: any 32 bytes are a key")
        }
        self.key = key
        start = Data("Ed".utf8) + Data(repeating: number, count: 8)
    }

    var line: String { (start + key.publicKey.rawRepresentation).base64EncodedString() }

    func sign(_ file: Data, comment: String) -> Data {
        guard let signature = try? key.signature(for: file),
            let commentSignature = try? key.signature(for: signature + Data(comment.utf8))
        else { fatalError("broken: a key signs") }
        return Data(
            """
            untrusted comment: signature from minisign secret key
            \((start + signature).base64EncodedString())
            trusted comment: \(comment)
            \(commentSignature.base64EncodedString())

            """.utf8)
    }
}

/// A file with its signature.
private struct SignedPart: Sendable {
    let file: Data
    let signature: Data

    init(file: Data, comment: String, key: FuzzKey) {
        self.file = file
        signature = key.sign(file, comment: comment)
    }
}
