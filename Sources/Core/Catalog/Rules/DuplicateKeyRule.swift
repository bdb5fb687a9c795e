package import VitrinePropertyList

struct DuplicateKeyRule: ProductRule {
    static let identifier = "duplicate-key"
    static let explanation = "If a key is repeated, some readers use its first value and others its last."
    static let concerns: ProductTraits = .repeatedKeys

    func findings(in declaration: ProductDeclaration, at index: Int) -> [Finding] {
        guard let keys = declaration.keys else { return [] }
        let languages = [CatalogKey.productTitle, .longDescription].flatMap { key in
            (keys[key]?.repeatedKeys ?? []).map { language in
                finding(
                    .warning,
                    "\((language.string ?? "").quoted) is repeated in \(key.name): the last text is used",
                    at: language.position)
            }
        }
        let inUserInfo = (keys[.userInfo]?.allRepeatedKeys ?? []).map { key in
            finding(.warning, "the key \((key.string ?? "").quoted) is repeated in userInfo", at: key.position)
        }
        guard !keys.repetitions.isEmpty else { return languages + inUserInfo }
        let ambiguous = Set(
            keys.repetitions.filter { $0.key.followingValue != $0.first.followingValue }.map { $0.key.string ?? "" })
        return languages + inUserInfo
            + keys.repetitions.map { repetition in
                let name = repetition.key.string ?? ""
                return finding(
                    .error, "the key \(name.quoted) is repeated in \(declaration.displayName)",
                    at: repetition.key.position,
                    notes: [
                        Diagnostic.Note(message: "the key is first used here", position: repetition.first.position)
                    ],
                    fix: ambiguous.contains(name)
                        ? nil : .removingEntry(repetition.key.followingValue, "remove the second \(name.quoted)"),
                    leavingOut: [index])
            }
    }
}

extension PropertyListValue {
    /// Repeated keys of all dictionaries in the value.
    package var allRepeatedKeys: [PropertyListValue] {
        var found: [PropertyListValue] = []
        var containers = [self]
        while let container = containers.popLast() {
            if container.kind == .dictionary {
                found += container.repeatedKeys
                container.forEachEntry { _, value in
                    if value.isContainer { containers.append(value) }
                }
            } else {
                for element in container.elements where element.isContainer { containers.append(element) }
            }
        }
        return found
    }

    private var isContainer: Bool { kind == .array || kind == .dictionary }
}
