internal import Crypto
public import Foundation
internal import VitrineCatalog
internal import VitrineFileSystem
public import VitrineSupport

/// A package of content in Apple's layout: a folder with a `ContentInfo.plist` beside a folder `Contents`.
///
/// When a package is opened, the names and types of everything in it are checked: it may contain only regular files and
/// folders, no links, and no names that some file system does not accept or distinguish.
public struct ContentPackage: Sendable {
    /// Folder of the package.
    public let url: URL
    /// Content of the package's `ContentInfo.plist`.
    public let info: ContentInfo
    /// The package's folder `Contents`, whose content is installed.
    let contentsFolder: URL
    let contents: FolderWalk

    /// Opens the package in a folder, and checks the names and types of everything in it.
    ///
    /// - Throws: ``ContentError``: `notFound` if there is no `ContentInfo.plist`, `invalidPackage` if the folder is not
    ///   a package or contains something that a package must not contain, `storage` if it cannot be read.
    public init(folder url: URL) throws(ContentError) {
        try self.init(
            url, info: try ContentInfo(file: url.appending(component: ContentInfo.fileName)),
            contents: url.appending(component: "Contents"))
    }

    /// Opens a folder of content without a package around it, such as one that another library has installed.
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
            throw .invalidPackage("\(url.relativePath) has no folder \(contents.lastPathComponent)")
        }
        guard kind == .folder else {
            let what = kind == .link ? "is a symbolic link" : "is not a folder"
            throw .invalidPackage("\(contents.relativePath) \(what)")
        }
        self.contents = try FolderWalk(contents)
        let topNames = Set(
            (self.contents.files + self.contents.folders).filter { $0.count == 1 }.map(\.[0].foldedFileName))
        if let ownName = InstalledContent.ownNames.first(where: { topNames.contains($0.foldedFileName) }) {
            throw .invalidPackage(
                "\(contents.relativePath) holds \(ownName), a reserved name, which content directories use")
        }
    }

    /// Returns the digest of each file, by its path. The installed files must have the same digests.
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

/// Files and empty folders that a manifest lists and that an archive must contain, looked up while the archive is read.
struct ExpectedPackage {
    let manifest: ContentManifest
    /// Files by path, in the composed Unicode spelling.
    private var files: [String: ContentManifest.File] = [:]
    private var emptyFolders: [String: String] = [:]
    private var folders: Set<String> = []

    init(_ manifest: ContentManifest) throws(ContentError) {
        try manifest.check()
        self.manifest = manifest
        for file in manifest.files {
            files[Self.key(file.path)] = file
            addFolders(above: file.path)
        }
        for folder in manifest.emptyFolders {
            emptyFolders[Self.key(folder)] = folder
            addFolders(above: folder)
        }
    }

    private mutating func addFolders(above path: String) {
        var key = Self.key(path)[...]
        while let slash = key.lastIndex(of: "/") {
            key = key[..<slash]
            guard folders.insert(String(key)).inserted else { return }
        }
    }

    private static func key(_ path: String) -> String { path.precomposedStringWithCanonicalMapping }

    mutating func consumeFile(_ path: PackagePath) -> ContentManifest.File? {
        files.removeValue(forKey: Self.key(path.text))
    }

    mutating func consumeEmptyFolder(_ path: PackagePath) -> String? {
        emptyFolders.removeValue(forKey: Self.key(path.text))
    }

    func hasFolder(_ path: PackagePath) -> Bool { folders.contains(Self.key(path.text)) }

    /// Path of the first file or empty folder of the manifest that was not found in the archive; `nil` if all were
    /// found.
    var missing: String? { (files.values.map(\.path) + emptyFolders.values).min() }
}

/// Files and folders of a package, whose names every file system can distinguish.
struct PackageTree {
    private struct Node {
        let path: PackagePath
        let isFolder: Bool
        /// `true` for a file or folder that the archive or manifest lists explicitly, `false` for a folder that occurs
        /// only in the paths of other entries.
        var isStated: Bool
    }

    /// Maximum number of files and folders of a package. A folder counts even if it occurs only in the path of a file.
    private let most: Int
    private var nodes: [String: Node] = [:]

    init(most: Int) { self.most = most }

    /// Adds a file or folder, and its parent folders.
    ///
    /// - Throws: ``ContentPathError`` if the path, or a parent folder, was already added as another kind of entry or
    ///   in another spelling.
    mutating func add(_ path: PackagePath, isFolder: Bool) throws(ContentPathError) {
        try enter(path, isFolder: isFolder, isStated: true)
        var parent = PackagePath(names: path.names.dropLast())
        while !parent.names.isEmpty {
            guard try enter(parent, isFolder: true, isStated: false) else { return }
            parent = PackagePath(names: parent.names.dropLast())
        }
    }

    /// Adds a file or folder to the tree.
    ///
    /// - Returns: `true` if the tree did not contain it before.
    @discardableResult
    private mutating func enter(_ path: PackagePath, isFolder: Bool, isStated: Bool) throws(ContentPathError) -> Bool {
        let key = path.text.foldedFileName
        guard let other = nodes[key] else {
            guard nodes.count < most else {
                throw ContentPathError(reason: "exceeds the limit of \(most) files and folders")
            }
            nodes[key] = Node(path: path, isFolder: isFolder, isStated: isStated)
            return true
        }
        guard other.path.text.utf8.elementsEqual(path.text.utf8) else {
            throw ContentPathError(reason: "is not distinguished by some file systems from \(other.path.text.quoted)")
        }
        guard other.isFolder, isFolder else {
            throw ContentPathError(reason: other.isFolder == isFolder ? "occurs twice" : "is both a file and a folder")
        }
        guard !(other.isStated && isStated) else { throw ContentPathError(reason: "occurs twice") }
        if isStated { nodes[key]?.isStated = true }
        return false
    }
}
