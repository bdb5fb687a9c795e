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

    /// Why it does not count.
    var failureCode: CatalogSignatureFailure.Code? { failure?.code }

    var failureReason: String? { failure?.reason }

    /// Why what was good is so no more.
    var outOfDateCode: CatalogSignatureFailure.Code? {
        if case .outOfDate(_, let failure) = self { failure.code } else { nil }
    }

    /// It does not count.
    var isRefused: Bool { failure != nil }
}

extension CatalogSignatureFailure {
    init(_ code: Code, _ reason: String) { self.init(code: code, reason: reason) }
}

extension Data {
    /// The lines of a text.
    var textLines: [String] {
        get throws {
            try #require(String(data: self, encoding: .utf8))
                .split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        }
    }

    /// The signature with another key's identifier in it.
    func withKeyIdentifier(of key: MinisignPublicKey) throws -> Data {
        var lines = try textLines
        var bytes = try #require(Data(base64Encoded: lines[1]))
        bytes.replaceSubrange(2..<10, with: key.identifier)
        lines[1] = bytes.base64EncodedString()
        return Data(lines.joined(separator: "\n").utf8)
    }
}
