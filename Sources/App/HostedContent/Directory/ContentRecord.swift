internal import Crypto
internal import Foundation
internal import VitrineCatalog
internal import VitrineFileSystem
internal import VitrinePropertyList
internal import VitrineSupport

/// List of all files of installed content with their digests, stored beside the content, so that it can be checked
/// without a network.
///
/// A property list with `Files`, an array of dictionaries with `Path`, `Length`, `SHA256` and, for an executable file,
/// `Executable`, and with `EmptyFolders`, an array of paths. Paths are the same as in the package and in
/// ``ContentManifest``.
struct ContentRecord: Hashable {
    /// Files of the content, sorted by the bytes of their paths.
    let files: [ContentManifest.File]
    let emptyFolders: [String]

    private static let contents = "Contents"
    private static let sizeLimit = 64 * 1024 * 1024

    init(_ manifest: ContentManifest) {
        files = manifest.files.sorted { $0.path.utf8.lexicographicallyPrecedes($1.path.utf8) }
        emptyFolders = manifest.emptyFolders.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    }

    /// Creates the list of a package's files, with the digest of each file.
    init(_ package: ContentPackage, digests: [[String]: SHA256.Digest]) throws(ContentError) {
        var files = [
            ContentManifest.File(
                path: ContentInfo.fileName, length: package.info.bytes.count,
                digest: SHA256.hash(data: package.info.bytes).hexadecimal)
        ]
        for file in package.contents.files {
            let place = FolderWalk.url(file, in: package.contentsFolder)
            guard let status = try FolderTree.status(of: place), let digest = digests[file] else {
                throw .invalidPackage("\(place.relativePath) is missing from the package")
            }
            files.append(
                ContentManifest.File(
                    path: Self.path(file), isExecutable: status.isExecutable, length: status.length,
                    digest: digest.hexadecimal))
        }
        self.files = files.sorted { $0.path.utf8.lexicographicallyPrecedes($1.path.utf8) }
        let full = Set((package.contents.files + package.contents.folders).map { Array($0.dropLast()) })
        emptyFolders = package.contents.folders.filter { !full.contains($0) }.map(Self.path)
            .sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    }

    private static func path(_ names: [String]) -> String { ([contents] + names).joined(separator: "/") }

    /// Returns the path at which a package's file or folder is installed, as names relative to the folder of the
    /// installed content.
    ///
    /// - Returns: An empty array for the package's folder `Contents`, because its files are installed directly in the
    ///   folder of the installed content; `nil` for a path that a package cannot contain.
    static func installedPath(of path: String) -> [String]? {
        if path == ContentInfo.fileName { return [InstalledContent.recordName] }
        guard let names = try? ContentPath(path).components, names.first == contents else { return nil }
        return Array(names.dropFirst())
    }
}

// MARK: - On disk

extension ContentRecord {
    /// Returns the list of files as the bytes of a property list.
    ///
    /// - Throws: ``ContentError`` `invalidPackage` for a list that is too large to be read again, or cannot be written.
    func bytes() throws(ContentError) -> Data {
        let list = PropertyListContent.dictionary([
            "Files": .array(files.map(\.listed)),
            "EmptyFolders": .array(emptyFolders.map(PropertyListContent.string)),
        ])
        let bytes: Data
        do {
            bytes = Data(try list.bytes())
        } catch {
            throw .invalidPackage("the list of the files of the package cannot be written: \(error)")
        }
        guard bytes.count <= Self.sizeLimit else {
            throw .invalidPackage(
                "the list of the files of the package is larger than \(Self.sizeLimit / 1024 / 1024) MiB")
        }
        return bytes
    }

    /// Reads a list of files that was stored beside installed content.
    ///
    /// - Returns: `nil` if the file is missing, or is not a list of files as this version writes it.
    /// - Throws: ``ContentError`` `storage` if it cannot be read.
    init?(file: URL) throws(ContentError) {
        guard try FolderTree.status(of: file)?.kind == .file else { return nil }
        let bytes = try BoundedFile.content(of: file, limit: Self.sizeLimit)
        guard
            let root = try? PropertyListDocument(
                bytes: Array(bytes), limits: PropertyListLimits(size: Self.sizeLimit)
            ).root, let files = root["Files"]?.elements, let emptyFolders = root["EmptyFolders"]?.elements
        else { return nil }
        self.files = files.compactMap(ContentManifest.File.init(listed:))
        self.emptyFolders = emptyFolders.compactMap(\.string).filter { Self.installedPath(of: $0) != nil }
        guard self.files.count == files.count, self.emptyFolders.count == emptyFolders.count else { return nil }
    }
}

extension ContentManifest.File {
    /// Parses the entry of a file in a stored list of files; `nil` for an entry that is not valid.
    fileprivate init?(listed value: PropertyListValue) {
        guard let path = value["Path"]?.string, ContentRecord.installedPath(of: path)?.isEmpty == false,
            let length = value["Length"]?.integer, length >= 0, let digest = value["SHA256"]?.string
        else { return nil }
        self.init(
            path: path, isExecutable: value["Executable"]?.boolean ?? false, length: length, digest: digest)
    }
}
