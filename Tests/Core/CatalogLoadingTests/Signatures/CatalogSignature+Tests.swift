import Foundation
import Testing
import VitrineSupport

@testable import VitrineCatalog
@testable import VitrineCatalogLoading

extension CatalogSignature {
    private var failure: CatalogSignatureFailure? {
        switch self {
        case .outOfDate(_, let failure), .invalid(let failure): failure
        case .notChecked, .valid, .undetermined: nil
        }
    }

    /// Code of the failure; `nil` for a valid signature.
    var failureCode: CatalogSignatureFailure.Code? { failure?.code }

    var failureReason: String? { failure?.reason }

    /// Reason why a signature that was valid is out of date.
    var outOfDateCode: CatalogSignatureFailure.Code? {
        if case .outOfDate(_, let failure) = self { failure.code } else { nil }
    }

    /// `true` if the signature is refused.
    var isRefused: Bool { failure != nil }
}

extension CatalogSignatureFailure {
    init(_ code: Code, _ reason: String) { self.init(code: code, reason: reason) }
}

extension Data {
    /// Lines of the text in the data.
    var textLines: [String] {
        get throws {
            try #require(String(data: self, encoding: .utf8))
                .split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        }
    }

    /// Returns the signature with the identifier of another key.
    func withKeyIdentifier(of key: MinisignPublicKey) throws -> Data {
        var lines = try textLines
        var bytes = try #require(Data(base64Encoded: lines[1]))
        bytes.replaceSubrange(2..<10, with: key.identifier)
        lines[1] = bytes.base64EncodedString()
        return Data(lines.joined(separator: "\n").utf8)
    }
}
