internal import PropertyList

struct SecretRule: CatalogRule {
    static let identifier = "secret"
    static let explanation =
        "What is in a catalog is in every copy of the app: a shared secret or a private key in it is none any more."

    func findings(in draft: CatalogDraft) -> [Finding] {
        // The same few keys stand in every product.
        var isNameOfSecret: [String: Bool] = [:]
        return draft.declarations.flatMap { declaration in
            declaration.entries.compactMap { entry -> Finding? in
                let isName = isNameOfSecret[entry.key] ?? Self.isName(entry.key)
                isNameOfSecret[entry.key] = isName
                guard isName || isPrivateKey(entry.value) else { return nil }
                return finding(
                    .warning, "\(entry.key.quoted) holds a secret, which every customer gets with the catalog",
                    at: entry.keyPosition)
            }
        }
    }

    private static let names: Set<String> = [
        "sharedsecret", "privatekey", "secretkey", "apisecret", "password", "secret",
    ]

    private static func isName(_ key: String) -> Bool {
        names.contains(key.lowercased().filter { $0 != "_" && $0 != "-" })
    }

    /// In PEM.
    private func isPrivateKey(_ value: PropertyListValue) -> Bool {
        guard let text = value.string, text.utf8.first == UInt8(ascii: "-"), text.hasPrefix("-----BEGIN ") else {
            return false
        }
        return text.contains("PRIVATE KEY-----")
    }
}
