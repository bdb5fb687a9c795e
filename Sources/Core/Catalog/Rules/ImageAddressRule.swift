internal import Foundation
internal import VitrinePropertyList
internal import VitrineSupport

/// Rule about the names and addresses of images. Only `https` addresses are fetched, and only files inside the app's
/// folder of images are shown.
struct ImageAddressRule: ProductRule {
    static let identifier = "image-address"
    static let explanation =
        "An image is fetched, and shown, only from an address that begins with https://, without user name and password. "
        + "The name of an image of the app is a relative path that does not leave the folder of the images."
    static let concerns: ProductTraits = .keys(.productIcon, .featuredImage)

    func findings(in declaration: ProductDeclaration, at index: Int) -> [Finding] {
        let areUsual = [CatalogKey.productIcon, .featuredImage].allSatisfy { key in
            declaration[key].map { $0.withUTF8(Self.isUsual) ?? true } ?? (declaration.keys != nil)
        }
        if areUsual { return [] }
        let images = [
            (CatalogKey.productIcon, declaration.product.productIcon),
            (.featuredImage, declaration.product.featuredImage),
        ]
        return images.compactMap { key, text in
            guard let text, let objection = Self.objection(to: text) else { return nil }
            return finding(
                .warning, "\(key.name) \(WebAddress.printed(text).quoted) \(objection)", at: declaration[key]?.position)
        }
    }

    private static func objection(to text: String) -> String? {
        let start = text.prefix(6).lowercased()
        guard text.contains("://") || ["http:", "https:", "data:"].contains(where: start.hasPrefix) else {
            return nameObjection(to: text)
        }
        guard text.lowercased().hasPrefix("https://") else { return "is not an https address" }
        guard let url = URL(string: text) else { return "is not an address" }
        return WebAddress.objection(to: url)
    }

    /// Returns why a file name is never found, as the rest of a sentence; `nil` for any other name.
    private static func nameObjection(to name: String) -> String? {
        do {
            return try ContentPath(name).isEmpty ? "is the folder of the images" : nil
        } catch {
            return error.reason
        }
    }

    /// Returns `true` for a usual relative path or an `https` address. The bytes are examined, because searching a string
    /// takes far longer.
    private static func isUsual(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
        guard text.contains(UInt8(ascii: ":")) else {
            // Printable ASCII, in which no component is empty, hidden, "." or "..", or longer than a file name may be.
            var previous = UInt8(ascii: "/")
            for byte in text {
                guard (0x20..<0x7F).contains(byte) else { return false }
                if previous == UInt8(ascii: "/"), byte == previous || byte == UInt8(ascii: ".") { return false }
                previous = byte
            }
            return text.count <= 255 && previous != UInt8(ascii: "/")
        }
        let scheme: StaticString = "https://"
        guard text.count > scheme.utf8CodeUnitCount, text.begins(with: scheme) else { return false }
        let rest = UnsafeBufferPointer(rebasing: text[scheme.utf8CodeUnitCount...])
        return rest[0].isASCIILetterOrDigit && !rest.contains { $0 == UInt8(ascii: "@") || $0 == UInt8(ascii: ":") }
    }
}
