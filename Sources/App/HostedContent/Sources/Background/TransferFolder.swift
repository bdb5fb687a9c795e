internal import Foundation
internal import VitrineCatalog
internal import VitrineFileSystem
internal import VitrineSupport

/// Files of background transfers in the folder of a product's download.
struct TransferFolder {
    /// Data to resume an interrupted transfer.
    private struct Resumption: Codable {
        var address: URL
        var data: Data
    }

    private let folder: URL
    private let digest: String

    /// Maximum length in bytes of the data to resume a transfer; the system's data has a few thousand bytes.
    private static let resumptionLimit = 1024 * 1024

    /// Creates the folder of a transfer, unless it exists.
    init(_ name: TransferName, in directory: ContentDirectory) throws(ContentError) {
        folder = DownloadFolder(url: try directory.downloadFolder(for: name.productIdentifier)).bytes
        digest = name.digest
        try FolderTree.makeFolder(folder)
    }

    /// Names of the files in the folder that belong to this transfer.
    var names: Set<String> { [arrived.lastPathComponent, resumption.lastPathComponent] }

    private var resumption: URL { folder.appending(component: Self.resumptionName(digest)) }

    /// Returns the name of the file with the data to resume the transfer of a file with a digest.
    static func resumptionName(_ digest: String) -> String { "resumption-\(digest)" }

    // MARK: The whole file

    /// Location of the completely received file of the transfer.
    var arrived: URL { folder.appending(component: "arrived-\(digest)") }

    var hasArrived: Bool { get throws(ContentError) { try FolderTree.status(of: arrived)?.kind == .file } }

    /// Moves a completely received file into the folder of its transfer.
    func adopt(_ file: URL) throws(ContentError) {
        try FolderTree.remove(arrived)
        do {
            // The file may be on another volume.
            try FileManager.default.moveItem(at: file, to: arrived)
        } catch {
            throw ContentError(error, at: arrived)
        }
        #if canImport(Darwin)
            // A moved file retains the data protection of its former folder.
            try FileProtection.relax(arrived)
        #endif
    }

    // MARK: Resuming

    /// Stores the data to resume a transfer from an address.
    func storeResumption(_ data: Data, from address: URL) throws(ContentError) {
        do {
            try DurableFile.write(
                JSONEncoder().encode(Resumption(address: address, data: data)), to: resumption)
        } catch {
            throw ContentError(error, at: resumption)
        }
    }

    /// Returns and removes the data to resume a transfer from an address. The data is used only once, because the
    /// server or the system may reject it.
    ///
    /// - Parameter isLinked: `true` if transfers fetch links to the address, each with a query of its own.
    func consumeResumption(from address: URL, isLinked: Bool) throws(ContentError) -> Data? {
        let stored = try? JSONDecoder().decodeForeign(
            Resumption.self, from: BoundedFile.read(resumption, limit: Self.resumptionLimit))
        guard let stored,
            stored.address == address || isLinked && Self.withoutQuery(stored.address) == Self.withoutQuery(address)
        else { return nil }
        try FolderTree.remove(resumption)
        return stored.data
    }

    private static func withoutQuery(_ address: URL) -> URL? {
        var components = URLComponents(url: address, resolvingAgainstBaseURL: true)
        components?.query = nil
        return components?.url
    }
}

/// Name of a background transfer, with which a later process recognizes the transfer.
///
/// The text of the name is the digest, a space and the product identifier.
struct TransferName: Hashable {
    let productIdentifier: String
    /// SHA-256 of the whole file, in 64 lowercase hexadecimal digits.
    let digest: String

    init(productIdentifier: String, digest: String) {
        self.productIdentifier = productIdentifier
        self.digest = digest
    }

    /// Parses the name of a background transfer.
    ///
    /// - Returns: `nil` for a name of another form.
    init?(_ text: String) {
        let parts = text.split(separator: " ", maxSplits: 1)
        guard parts.count == 2, ContentDigest.isDigest(String(parts[0])) else { return nil }
        self.init(productIdentifier: String(parts[1]), digest: String(parts[0]))
    }

    var text: String { "\(digest) \(productIdentifier)" }
}
