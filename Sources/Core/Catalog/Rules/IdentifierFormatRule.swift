internal import VitrinePropertyList

struct IdentifierFormatRule: SingleFindingRule {
    static let identifier = "identifier-format"
    static let explanation =
        "App Store Connect accepts letters, digits, underscores, hyphens and periods in a product identifier. No store "
        + "product has an identifier with other characters."
    static let concerns: ProductTraits = .keys(.productIdentifier)

    func finding(in declaration: ProductDeclaration, at index: Int) -> Finding? {
        let bytesAreUsual = declaration[.productIdentifier]?.withUTF8 { $0.allSatisfy(Self.isUsual) }
        guard bytesAreUsual != true, !declaration.product.identifier.utf8.allSatisfy(Self.isUsual),
            let strange = declaration.product.identifier.unicodeScalars.first(where: {
                !$0.isASCII || !Self.isUsual(UInt8($0.value))
            }),
            let name = declaration.identifier
        else { return nil }
        return finding(
            .warning,
            "the identifier \(name.value.quoted) contains \(String(strange).quoted), which no store accepts",
            at: name.position)
    }

    /// Returns `true` for a character that App Store Connect accepts in a product identifier.
    static func isUsual(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "_"), UInt8(ascii: "-"), UInt8(ascii: "."): true
        default: byte.isASCIILetterOrDigit
        }
    }
}
