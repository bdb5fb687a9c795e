internal import PropertyList

struct IdentifierFormatRule: ProductRule {
    static let identifier = "identifier-format"
    static let explanation =
        "App Store Connect takes letters, digits, underscores, hyphens and full stops in a product's identifier, and "
        + "no store will know one that has something else in it."

    func findings(in declaration: ProductDeclaration, at index: Int) -> [Finding] {
        guard !declaration.product.identifier.utf8.allSatisfy(isUsual),
            let strange = declaration.product.identifier.unicodeScalars.first(where: {
                !$0.isASCII || !isUsual(UInt8($0.value))
            }),
            let name = declaration.identifier
        else { return [] }
        return [
            finding(
                .warning,
                "the identifier \(name.value.quoted) has \(String(strange).quoted) in it, which no store takes",
                at: name.position)
        ]
    }

    private func isUsual(_ byte: UInt8) -> Bool { byte.isASCIILetterOrDigit || "_-.".utf8.contains(byte) }
}
