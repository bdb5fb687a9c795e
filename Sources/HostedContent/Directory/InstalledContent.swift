internal import FileSystem
public import Foundation
internal import ProductCatalog

/// Content in its place: complete, as it was packed.
public struct InstalledContent: Sendable, Hashable {
    /// The package's `IAPProductIdentifier`.
    public let productIdentifier: String
    /// The package's `ContentVersion`.
    public let version: String
    /// The digest of the archive or the manifest that it came from, in 64 small hexadecimal digits; `nil` where it came
    /// from neither, or an earlier version of Vitrine has installed it.
    public let digest: String?
    /// The folder with what the package had in `Contents`.
    public let url: URL

    /// - Returns: `nil` for a folder that is no installed content.
    /// - Throws: ``ContentError`` `storage` where it cannot be read.
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

    /// The package's `ContentInfo.plist` lies under this name in the installed folder, and so came there with it.
    static let recordName = ".ContentInfo.plist"
    /// The list of all files, with their digests.
    static let manifestName = ".ContentManifest.plist"
    /// ``digest`` alone.
    static let digestName = ".ContentDigest"

    /// The names that no content may have, because they are used once it is installed.
    static let ownNames = [recordName, manifestName, digestName]
}
