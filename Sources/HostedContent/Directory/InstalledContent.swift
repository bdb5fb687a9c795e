internal import FileSystem
public import Foundation
internal import ProductCatalog

/// Installed content, complete as it was packed.
public struct InstalledContent: Sendable, Hashable {
    /// The package's `IAPProductIdentifier`.
    public let productIdentifier: String
    /// The package's `ContentVersion`.
    public let version: String
    /// Digest of the archive or manifest that the content was installed from, in 64 lowercase hexadecimal digits; `nil`
    /// for other sources, or if an earlier version of Vitrine has installed it.
    public let digest: String?
    /// The folder with what the package had in `Contents`.
    public let url: URL

    /// - Returns: `nil` for a folder that is no installed content.
    /// - Throws: ``ContentError`` `storage` if it cannot be read.
    init?(folder: URL) throws(ContentError) {
        guard try FolderTree.status(of: folder)?.kind == .folder else { return nil }
        do {
            let info = try ContentInfo(file: folder.appending(component: Self.recordName))
            (productIdentifier, version) = (info.productIdentifier, info.version)
        } catch {
            guard error.code == .storage else { return nil }
            throw error
        }
        digest = try Self.digest(in: folder.appending(component: Self.digestName))
        url = folder
    }

    private static func digest(in file: URL) throws(ContentError) -> String? {
        guard try FolderTree.status(of: file)?.kind == .file else { return nil }
        do {
            let text = String(decoding: try BoundedFile.read(file, limit: 64), as: UTF8.self)
            return text.utf8.count == 64 ? text : nil
        } catch {
            throw ContentError(code: .storage, reason: "\(file.relativePath): \(error.reason)")
        }
    }

    /// Name of the package's `ContentInfo.plist` in the installed folder.
    static let recordName = ".ContentInfo.plist"
    /// Name of the list of all files with their digests.
    static let manifestName = ".ContentManifest.plist"
    /// Name of the file with ``digest``.
    static let digestName = ".ContentDigest"

    /// Names that content must not have, because the directory uses them.
    static let ownNames = [recordName, manifestName, digestName]
}
