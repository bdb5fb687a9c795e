internal import FileSystem
internal import Foundation
internal import ProductCatalog

/// What background transfers of a product have left in the folder of its download.
struct TransferFolder {
    /// What a transfer that has broken off can go on with.
    private struct Resumption: Codable {
        var address: URL
        var data: Data
    }

    private let folder: URL
    private let digest: String

    /// In bytes; the system's are some thousand.
    private static let resumptionLimit = 1024 * 1024

    /// Makes the folder, unless it is there.
    init(_ name: TransferName, in directory: ContentDirectory) throws(ContentError) {
        folder = DownloadFolder(url: try directory.downloadFolder(for: name.productIdentifier)).bytes
        digest = name.digest
        try FolderTree.makeFolder(folder)
    }

    /// What it has in the folder.
    var names: Set<String> { [arrived.lastPathComponent, resumption.lastPathComponent] }

    private var resumption: URL { folder.appending(component: "resumption-\(digest)") }

    // MARK: The whole file

    /// Where the file lies once it has come whole.
    var arrived: URL { folder.appending(component: "arrived-\(digest)") }

    var hasArrived: Bool { get throws(ContentError) { try FolderTree.status(of: arrived)?.kind == .file } }

    /// Moves a file that has come whole here.
    func take(_ file: URL) throws(ContentError) {
        try FolderTree.remove(arrived)
        do {
            // It may come from another volume.
            try FileManager.default.moveItem(at: file, to: arrived)
        } catch {
            throw ContentError(error, at: arrived)
        }
        #if canImport(Darwin)
            // It has kept the protection of the place that it comes from.
            try FileProtection.relax(arrived)
        #endif
    }

    // MARK: Going on

    /// Keeps what a transfer from an address can go on with.
    func keep(_ data: Data, from address: URL) throws(ContentError) {
        do {
            try DurableFile.write(
                JSONEncoder().encode(Resumption(address: address, data: data)), to: resumption)
        } catch {
            throw ContentError(error, at: resumption)
        }
    }

    /// What the next transfer from an address goes on with. It is not used again: what comes of it may be of no use.
    func takeResumption(from address: URL) throws(ContentError) -> Data? {
        let kept = try? JSONDecoder().decode(
            Resumption.self, from: BoundedFile.read(resumption, limit: Self.resumptionLimit))
        guard let kept, kept.address == address else { return nil }
        try FolderTree.remove(resumption)
        return kept.data
    }
}

/// What a background transfer is known by beyond the end of the process: whose content it is, and of which version.
///
/// It is written as the digest, a space and the product's identifier.
struct TransferName: Hashable {
    let productIdentifier: String
    /// SHA-256 of the whole file, in 64 small hexadecimal digits.
    let digest: String

    init(productIdentifier: String, digest: String) {
        self.productIdentifier = productIdentifier
        self.digest = digest
    }

    /// - Returns: `nil` for what none of ours is called.
    init?(_ text: String) {
        let parts = text.split(separator: " ", maxSplits: 1)
        guard parts.count == 2, ContentDigest.isDigest(String(parts[0])) else { return nil }
        self.init(productIdentifier: String(parts[1]), digest: String(parts[0]))
    }

    var text: String { "\(digest) \(productIdentifier)" }
}
