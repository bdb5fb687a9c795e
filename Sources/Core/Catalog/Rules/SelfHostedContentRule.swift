internal import Foundation
internal import VitrinePropertyList
internal import VitrineSupport

struct SelfHostedContentRule: ProductRule {
    static let identifier = "self-hosted-content"
    static let explanation =
        "Content that is fetched without https can be replaced in transit. Content at an address that apps refuse, or "
        + "with an invalid digest or length, is not fetched, and its product is not offered. Content of a product that "
        + "is not hosted is not fetched either."
    static let concerns: ProductTraits = .keys(.contentURL, .contentDigest, .contentLength)

    func findings(in declaration: ProductDeclaration, at index: Int) -> [Finding] {
        guard
            declaration[.contentURL] != nil || declaration[.contentDigest] != nil || declaration[.contentLength] != nil
        else { return [] }
        var findings = urls(declaration)
        if let finding = digest(declaration) { findings.append(finding) }
        if let finding = length(declaration) { findings.append(finding) }
        if let finding = missingDigest(declaration) { findings.append(finding) }
        if let finding = notHosted(declaration) { findings.append(finding) }
        return findings
    }

    private func notHosted(_ declaration: ProductDeclaration) -> Finding? {
        guard !declaration.product.isHosted, !declaration.hasValueOfWrongKind(.hosted),
            declaration.keys?.texts(.contentURL).isEmpty == false
        else { return nil }
        return finding(
            .warning, "\(declaration.displayName) is not hosted: its contentURL has no effect",
            at: declaration[.contentURL]?.position)
    }

    private func urls(_ declaration: ProductDeclaration) -> [Finding] {
        guard let value = declaration[.contentURL] else { return [] }
        return value.kind == .array ? value.elements.compactMap(url) : url(value).map { [$0] } ?? []
    }

    private func url(_ value: PropertyListValue) -> Finding? {
        guard value.withUTF8(isPlainAddress) != true, let text = value.string, !text.isEmpty else { return nil }
        let printed = "contentURL \(WebAddress.printed(text).quoted)"
        guard let url = URL(string: text) else {
            return finding(.warning, "\(printed) is not an address: the product is not offered", at: value.position)
        }
        if let objection = WebAddress.objection(to: url) {
            return finding(.warning, "\(printed) \(objection): the product is not offered", at: value.position)
        }
        guard url.scheme?.lowercased() != "https" else { return nil }
        return finding(
            .warning, "\(printed) is not encrypted: apps request it only from their own device", at: value.position)
    }

    /// Returns a finding for an archive without a digest. A manifest contains the digest of its archive; an archive
    /// without a manifest is accepted only with a digest in the catalog.
    private func missingDigest(_ declaration: ProductDeclaration) -> Finding? {
        guard declaration[.contentDigest]?.withUTF8({ !$0.isEmpty }) != true, let value = declaration[.contentURL],
            let addresses = declaration.keys?.texts(.contentURL).compactMap({ CatalogContent.url($0.value) }),
            !addresses.allSatisfy(CatalogContent.isManifest)
        else { return nil }
        return finding(
            .warning,
            "contentURL names an archive, which is not fetched without a contentDigest; a manifest's name ends with "
                + ".plist",
            at: value.position)
    }

    /// Returns `true` for an address that is valid without parsing it as a URL: `https://`, a host, and a path of ASCII
    /// letters, digits and `-._/`.
    private func isPlainAddress(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
        let scheme: StaticString = "https://"
        guard text.count > scheme.utf8CodeUnitCount, text.begins(with: scheme) else { return false }
        let rest = UnsafeBufferPointer(rebasing: text[scheme.utf8CodeUnitCount...])
        return rest[0].isASCIILetterOrDigit && rest.allSatisfy { $0.isASCIILetterOrDigit || Self.isMark($0) }
    }

    private static func isMark(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "/"): true
        default: false
        }
    }

    private func digest(_ declaration: ProductDeclaration) -> Finding? {
        guard let value = declaration[.contentDigest],
            value.withUTF8({ !$0.isEmpty && !isDigest($0) }) == true
        else { return nil }
        return finding(
            .warning, "contentDigest must be sha256: followed by 64 lowercase hexadecimal digits", at: value.position)
    }

    private func isDigest(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
        let name: StaticString = "sha256:"
        return text.count == name.utf8CodeUnitCount + 64 && text.begins(with: name)
            && UnsafeBufferPointer(rebasing: text[name.utf8CodeUnitCount...]).allSatisfy { byte in
                UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte || UInt8(ascii: "a")...UInt8(ascii: "f") ~= byte
            }
    }

    private func length(_ declaration: ProductDeclaration) -> Finding? {
        guard let value = declaration[.contentLength], let length = value.integer,
            length <= 0
        else { return nil }
        return finding(.warning, "contentLength is \(length), but must be greater than zero", at: value.position)
    }
}
