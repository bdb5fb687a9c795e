internal import VitrinePropertyList

struct SecretRule: ProductRule {
    static let identifier = "secret"
    static let explanation =
        "A catalog is delivered to every customer: a shared secret or a private key in it is no longer secret."
    static let concerns: ProductTraits = [.secrets, .unknownKeys]

    func findings(in declaration: ProductDeclaration, at index: Int) -> [Finding] {
        guard let keys = declaration.keys else { return [] }
        var secrets = keys.unknown.flatMap { Self.isSecret($0) ? [$0.keyValue] : Self.secrets(in: $0.value) }
        if keys.traits.contains(.secrets) {
            keys.forEach { key, glance in
                guard key == .userInfo || Self.mayBeginKey(glance.firstByte) else { return }
                let value = keys.dictionary.value(numbered: glance.number)
                secrets += Self.isPrivateKey(value) ? [value.precedingKey] : Self.secrets(in: value)
            }
        }
        return secrets.map { key in
            finding(
                .warning, "\((key.string ?? "").quoted) contains a secret, which every customer gets with the catalog",
                at: key.position)
        }
    }

    /// Returns `true` if the name of a key suggests a secret, or its value is a private key.
    static func isSecret(_ entry: PropertyListValue.Entry) -> Bool {
        isName(entry.key) && entry.value.string != "" || isPrivateKey(entry.value)
    }

    /// Returns the keys with secrets, at any depth of a value. The depth is bounded by the limit for the document.
    private static func secrets(in value: PropertyListValue) -> [PropertyListValue] {
        switch value.kind {
        case .array: return value.elements.flatMap(secrets)
        case .dictionary:
            var worthALook: [PropertyListValue.Glance] = []
            value.forEachKey { key, glance in
                let mayHoldOne = glance.isContainer || mayBeginKey(glance.firstByte)
                if mayBeSecret(key) || mayHoldOne { worthALook.append(glance) }
            }
            return worthALook.map { value.value(numbered: $0.number) }.flatMap { value in
                isSecret(PropertyListValue.Entry(key: value.precedingKey, value: value))
                    ? [value.precedingKey] : secrets(in: value)
            }
        default: return []
        }
    }

    private static let names: Set<String> = [
        "sharedsecret", "privatekey", "secretkey", "apisecret", "password", "secret",
    ]

    /// Returns `true` if a key may contain a secret, judging by the length and first letter of its name.
    static func mayBeSecret(_ name: UnsafeBufferPointer<UInt8>) -> Bool {
        name.count >= 6 && name.first.map { "sSpPaA".utf8.contains($0) } == true
    }

    /// Returns `true` for each key with a name that suggests a secret, and for some others.
    static func isLikeName(_ key: UnsafeBufferPointer<UInt8>) -> Bool {
        guard key.count >= 6 else { return false }
        // A letter that is not ASCII may have a lowercase letter that is, such as the Kelvin sign.
        guard key.allSatisfy({ $0 < 0x80 }) else { return true }
        let letters = key.lazy.filter { $0 != UInt8(ascii: "_") && $0 != UInt8(ascii: "-") }.map { $0 | 0x20 }
        return names.contains { $0.utf8.elementsEqual(letters) }
    }

    private static func isName(_ key: String) -> Bool {
        // Each of the names has an S or a V, which most other keys lack.
        key.utf8.contains { "sSvV".utf8.contains($0) }
            && names.contains(key.lowercased().filter { $0 != "_" && $0 != "-" })
    }

    /// Returns `true` for a private key in PEM, with or without leading white space.
    private static func isPrivateKey(_ value: PropertyListValue) -> Bool {
        guard let text = value.string, mayBeginKey(text.utf8.first ?? 0) else { return false }
        return text.contains("-----BEGIN ") && text.contains("PRIVATE KEY-----")
    }

    /// Returns `true` if a byte may be the first byte of a private key in PEM, or of white space before it.
    static func mayBeginKey(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "-"), UInt8(ascii: " "), UInt8(ascii: "\n"), UInt8(ascii: "\r"), UInt8(ascii: "\t"): true
        default: false
        }
    }
}
