internal import CatalogLoading
import Foundation
import ProductCatalog

/// What `vitrine init` remembers about a remote catalog.
struct RemoteSettings: Codable {
    var url: String
    var cacheDays: Double?
    var signatures: Signatures?

    struct Signatures: Codable {
        var mode: CatalogTrust.Mode
        /// Public keys, as minisign writes them.
        var roots: [String]
        var app: String
        var channel: String
    }

    /// Where the catalog is, and what is asked of it.
    var words: String {
        "the newest catalog at \(url)"
            + (signatures.map { $0.mode == .enforce ? ", which has to be signed" : ", whose signature is told" } ?? "")
    }

    /// - Throws: ``ToolFailure`` where it names no address or key.
    func catalog() throws(ToolFailure) -> RemoteCatalog {
        guard let url = URL(string: url) else {
            throw ToolFailure(status: .unusableData, reason: "\(url) is no address")
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
