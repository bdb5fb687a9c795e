internal import Crypto
internal import FileSystem
public import Foundation
internal import ProductCatalog

/// A package of content in Apple's layout: a folder with a `ContentInfo.plist` beside a folder `Contents`.
///
/// Opening it looks at the names and kinds of all that it holds: regular files and folders only, no links, no names
/// that some file system does not take or distinguish.
public struct ContentPackage: Sendable {
    /// Folder of the package.
    public let url: URL
    /// Content of the package's `ContentInfo.plist`.
    public let info: ContentInfo
    /// Folder whose content is installed.
    let contentsFolder: URL
    let contents: FolderWalk

    /// - Throws: ``ContentError``: `notFound` where there is no `ContentInfo.plist`, `invalidPackage` where the folder
    ///   is no package or holds what no package may hold, `storage` where it cannot be read.
    public init(folder url: URL) throws(ContentError) {
        try self.init(
            url, info: try ContentInfo(file: url.appending(component: ContentInfo.fileName)),
            contents: url.appending(component: "Contents"))
    }

    /// Opens content without a package around it, as another library has installed it.
    ///
    /// - Parameters:
    ///   - contents: Folder with the files of `Contents`.
    ///   - productIdentifier: Product of the content.
    ///   - version: Version of the content.
    /// - Throws: ``ContentError``, as ``init(folder:)`` does.
    public init(unpackaged contents: URL, of productIdentifier: String, version: String) throws(ContentError) {
        try self.init(
            contents, info: try ContentInfo(productIdentifier: productIdentifier, version: version),
            contents: contents)
    }

    private init(_ url: URL, info: ContentInfo, contents: URL) throws(ContentError) {
        self.url = url
        self.info = info
        contentsFolder = contents
        guard let kind = try FolderTree.status(of: contents)?.kind else {
            throw ContentError(
                code: .invalidPackage, reason: "\(url.relativePath) has no folder \(contents.lastPathComponent)")
        }
        guard kind == .folder else {
            let what = kind == .link ? "is a symbolic link" : "is not a folder"
            throw ContentError(code: .invalidPackage, reason: "\(contents.relativePath) \(what)")
        }
        self.contents = try FolderWalk(contents)
        let topNames = Set(
            (self.contents.files + self.contents.folders).filter { $0.count == 1 }.map(\.[0].foldedFileName))
        if let ownName = InstalledContent.ownNames.first(where: { topNames.contains($0.foldedFileName) }) {
            throw ContentError(
                code: .invalidPackage,
                reason: "\(contents.relativePath) holds \(ownName), a reserved name")
        }
    }

    /// Returns the digest of each file, which the installed files must have.
    func digests() throws(ContentError) -> [[String]: SHA256.Digest] {
        var digests: [[String]: SHA256.Digest] = [:]
        for file in contents.files {
            var hash = SHA256()
            try FileBlocks.read(FolderWalk.url(file, in: contentsFolder)) { (block) throws(ContentError) in
                hash.update(data: block)
            }
            digests[file] = hash.finalize()
        }
        return digests
    }
}
