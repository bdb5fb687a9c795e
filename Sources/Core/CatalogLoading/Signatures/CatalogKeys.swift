package import Foundation
internal import VitrineCatalog
internal import VitrinePropertyList
internal import VitrineSupport

/// Content of `keys.plist`: the keys that may sign catalogs. A root key signs the file.
///
/// The file is a dictionary with `keys`, an array of dictionaries with `publicKey`, a string in minisign's format, and
/// `expires`, a date; `revoked`, an array of key identifiers of 16 digits in minisign's notation; and `epoch`, an
/// integer of at least 1. Only `keys` is required.
package struct CatalogKeys: Sendable, Hashable {
    package struct Key: Sendable, Hashable {
        package let publicKey: MinisignPublicKey
        package let expires: Date

        package init(publicKey: MinisignPublicKey, expires: Date) {
            self.publicKey = publicKey
            self.expires = expires
        }
    }

    package let keys: [Key]
    /// Identifiers of revoked signing keys in minisign's notation.
    package let revoked: [String]
    package let epoch: Int

    package init(keys: [Key], revoked: [String], epoch: Int) {
        self.keys = keys
        self.revoked = revoked
        self.epoch = epoch
    }

    private static let limits = PropertyListLimits(
        size: SignedCatalogFiles.smallFileLimit, depth: 3, nodes: 4096, stringLength: 256, keyLength: 64)

    /// Parses a `keys.plist`. A file with unknown dictionary keys is rejected, because a misspelled `revoked` would
    /// revoke no signing key.
    ///
    /// - Throws: ``CatalogSignatureFailure`` `malformed`.
    package init(_ file: Data) throws(CatalogSignatureFailure) {
        let document: PropertyListDocument
        do {
            document = try PropertyListDocument(bytes: Array(file), limits: Self.limits)
        } catch {
            throw Self.malformed("\(error)")
        }
        try Self.check(document.root, has: ["keys", "revoked", "epoch"])
        guard let keys = document.root["keys"], keys.kind == .array else {
            throw Self.malformed("the array \"keys\" is missing")
        }
        var identifiers: Set<Data> = []
        self.keys = try keys.elements.map { (value) throws(CatalogSignatureFailure) in
            let key = try Self.key(value)
            guard identifiers.insert(key.publicKey.identifier).inserted else {
                throw Self.malformed("the signing key \(key.publicKey.identifierText) is listed twice", at: value)
            }
            return key
        }
        revoked =
            try document.root["revoked"].map { (value) throws(CatalogSignatureFailure) in
                guard value.kind == .array else { throw Self.malformed("revoked must be an array", at: value) }
                return try value.elements.map { (value) throws(CatalogSignatureFailure) in
                    guard let text = value.string, Self.isIdentifier(text) else {
                        throw Self.malformed(
                            "the identifier of a revoked key must have 16 digits of 0 to 9 and A to F", at: value)
                    }
                    return text
                }
            } ?? []
        epoch =
            try document.root["epoch"].map { (value) throws(CatalogSignatureFailure) in
                guard let epoch = value.integer, epoch >= 1 else {
                    throw Self.malformed("epoch must be an integer of at least 1", at: value)
                }
                return epoch
            } ?? 1
    }

    private static func key(_ value: PropertyListValue) throws(CatalogSignatureFailure) -> Key {
        try check(value, has: ["publicKey", "expires"])
        guard let text = value["publicKey"]?.string, let expires = value["expires"]?.date else {
            throw malformed("a signing key must have publicKey, a string, and expires, a date", at: value)
        }
        do {
            return Key(publicKey: try MinisignPublicKey(text), expires: expires)
        } catch {
            throw malformed(error.reason, at: value)
        }
    }

    private static func check(_ value: PropertyListValue, has known: [String]) throws(CatalogSignatureFailure) {
        guard value.kind == .dictionary else {
            throw malformed("this value must be a dictionary with the keys \(known.joined(separator: ", "))", at: value)
        }
        if let repeated = value.repeatedKeys.first {
            throw malformed("the dictionary key \((repeated.string ?? "").quoted) is repeated", at: repeated)
        }
        if let unknown = value.entries.first(where: { entry in !known.contains { $0.utf8.elementsEqual(entry.key.utf8) }
        }) {
            throw malformed(
                "the dictionary key \(unknown.key.quoted) is not one of \(known.joined(separator: ", "))",
                at: unknown.keyValue)
        }
    }

    private static func malformed(_ reason: String, at value: PropertyListValue? = nil) -> CatalogSignatureFailure {
        CatalogSignatureFailure(
            code: .malformed, reason: (value.map { "\($0.position): " } ?? "") + reason)
    }

    /// Returns `true` if a text is a key identifier in minisign's notation.
    package static func isIdentifier(_ text: String) -> Bool {
        text.utf8.count == 16
            && text.utf8.allSatisfy { "0123456789ABCDEF".utf8.contains($0) }
    }

    /// Content of `keys.plist` as an XML property list.
    package var file: Data {
        let keys = keys.map { key in
            """
            \t\t<dict>
            \t\t\t<key>expires</key>
            \t\t\t<date>\(key.expires.inSeconds)</date>
            \t\t\t<key>publicKey</key>
            \t\t\t<string>\(key.publicKey.line)</string>
            \t\t</dict>

            """
        }
        return Data(
            """
            <?xml version="1.0" encoding="UTF-8"?>
            <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
            <plist version="1.0">
            <dict>
            \t<key>epoch</key>
            \t<integer>\(epoch)</integer>
            \t<key>keys</key>
            \t<array>
            \(keys.joined())\t</array>
            \t<key>revoked</key>
            \t<array>
            \(revoked.map { "\t\t<string>\($0)</string>\n" }.joined())\t</array>
            </dict>
            </plist>

            """.utf8)
    }
}
