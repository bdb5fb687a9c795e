internal import PropertyList

struct SecretRule: CatalogRule {
    static let identifier = "secret"
    static let explanation =
        "What is in a catalog is in every copy of the app: a shared secret or a private key in it is none any more."

    func findings(in draft: CatalogDraft) -> [Finding] {
        draft.declarations.flatMap { declaration in
            declaration.entries.filter { isSecret($0) }.map { entry in
                finding(
                    .warning, "\(entry.key.quoted) holds a secret, which every customer gets with the catalog",
                    at: entry.keyPosition)
            }
        }
    }

    private static let names: Set<String> = [
        "sharedsecret", "privatekey", "secretkey", "apisecret", "password", "secret",
    ]

    private func isSecret(_ entry: PropertyListValue.Entry) -> Bool {
        let name = entry.key.lowercased().filter { $0 != "_" && $0 != "-" }
        return Self.names.contains(name) || entry.value.string?.contains("PRIVATE KEY-----") == true
    }
}
