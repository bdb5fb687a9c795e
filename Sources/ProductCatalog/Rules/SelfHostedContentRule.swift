internal import Foundation
internal import PropertyList

struct SelfHostedContentRule: ProductRule {
    static let identifier = "self-hosted-content"
    static let explanation =
        "Content that is fetched over anything but https can be exchanged on its way, and a digest or length that is "
        + "not one can never be right."

    func findings(in declaration: ProductDeclaration, at index: Int) -> [Finding] {
        guard
            declaration[.contentURL] != nil || declaration[.contentDigest] != nil || declaration[.contentLength] != nil
        else { return [] }
        return [url(declaration), digest(declaration), length(declaration)].compactMap(\.self)
    }

    private func url(_ declaration: ProductDeclaration) -> Finding? {
        guard let value = declaration[.contentURL], let text = value.string,
            !text.isEmpty
        else { return nil }
        let url = URL(string: text)
        guard url?.scheme?.lowercased() != "https" || url?.host()?.isEmpty ?? true else { return nil }
        return finding(.warning, "contentURL \(text.quoted) is no https address", at: value.position)
    }

    private func digest(_ declaration: ProductDeclaration) -> Finding? {
        guard let value = declaration[.contentDigest], let text = value.string,
            !text.isEmpty, text.wholeMatch(of: /sha256:[0-9a-f]{64}/) == nil
        else { return nil }
        return finding(
            .warning, "contentDigest is not sha256: and 64 hexadecimal digits in small letters", at: value.position)
    }

    private func length(_ declaration: ProductDeclaration) -> Finding? {
        guard let value = declaration[.contentLength], let length = value.integer,
            length <= 0
        else { return nil }
        return finding(.warning, "contentLength is \(length), and must be above zero", at: value.position)
    }
}
