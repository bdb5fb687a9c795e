internal import CatalogLoading
import Foundation
import ProductCatalog

/// Public key that is an argument of a command.
enum PublicKeyFile {
    private static let sizeLimit = 4096

    /// - Parameter text: Line that begins with `RW`, or path of a file that contains it.
    static func read(_ text: String) throws(ToolFailure) -> MinisignPublicKey {
        if let key = try? MinisignPublicKey(text) { return key }
        let data = try InputFile.read(text, limit: sizeLimit)
        do {
            return try MinisignPublicKey(String(decoding: data, as: UTF8.self))
        } catch {
            throw ToolFailure(status: .unusableData, reason: "\(text): \(error.reason)")
        }
    }
}

/// Private key that a command signs with.
enum PrivateKeyFile {
    private static let sizeLimit = 4096

    static func read(_ path: String) throws(ToolFailure) -> SigningKey {
        let data = try InputFile.read(path, limit: sizeLimit)
        do {
            return try SigningKey(pem: String(decoding: data, as: UTF8.self))
        } catch {
            throw ToolFailure(status: .unusableData, reason: "\(path): \(error.reason)")
        }
    }
}
