internal import CatalogLoading
import Foundation
import ProductCatalog

/// Settings of a remote catalog, which `vitrine init` stores.
struct RemoteSettings: Codable {
    var url: String
    var cacheDays: Double?
    var signatures: Signatures?

    struct Signatures: Codable {
        var mode: CatalogTrust.Mode
        /// Public keys in minisign format.
        var roots: [String]
        var app: String
        var channel: String
    }

    /// Description of the remote catalog and its signature policy.
    var words: String {
        "the newest catalog at \(url)"
            + (signatures.map { $0.mode == .enforce ? ", which must be signed" : ", whose signature is checked" } ?? "")
    }

    /// - Throws: ``ToolFailure`` if the URL or a key is invalid.
    func catalog() throws(ToolFailure) -> RemoteCatalog {
        guard let url = URL(string: url) else {
            throw ToolFailure(status: .unusableData, reason: "\(url) is not a URL")
        }
        var remote = RemoteCatalog(url: url)
        if let cacheDays { remote.cacheDays = cacheDays }
        if let signatures {
            var roots: [MinisignPublicKey] = []
            for text in signatures.roots { roots.append(try PublicKeyFile.read(text)) }
            remote.trust = CatalogTrust(
                mode: signatures.mode, roots: roots, app: signatures.app, channel: signatures.channel)
        }
        return remote
    }
}
