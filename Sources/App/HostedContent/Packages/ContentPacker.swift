internal import Crypto
public import Foundation
internal import VitrineCatalog
internal import VitrineFileSystem
public import VitrineSupport

/// Packer of content for a web server.
public enum ContentPacker {
    /// Archive and manifest that were written.
    public struct Packed: Sendable {
        public let archive: URL
        public let manifestFile: URL
        /// SHA-256 of the manifest's file in 64 lowercase hexadecimal digits.
        public let manifestDigest: String
        /// Length of the manifest's file in bytes.
        public let manifestLength: Int
        public let manifest: ContentManifest
    }

    /// Name of the folder beside the manifests that contains each file of the packages separately. It is shared by all
    /// products and versions, so that unchanged files are stored once.
    public static let filesFolder = "files"

    /// Packs a package into a zip, and writes a manifest beside it, each completely or not at all. The same
    /// package gives the same bytes. Files that macOS adds to folders are left out.
    ///
    /// Both files are named after the product and its version. The archive is read again and checked before it is put into
    /// the folder. Files of the same version with other bytes are not replaced, because apps with a catalog that names
    /// their digest could not download the content.
    ///
    /// - Parameters:
    ///   - package: Package to pack.
    ///   - folder: An existing folder.
    ///   - withFiles: Also copies each file into ``filesFolder``, named by its digest.
    ///   - limits: Limits of the package.
    ///   - replaces: Replaces files of the same product and version that have other bytes.
    /// - Throws: ``ContentError``: `invalidPackage` for a package that could not be unpacked on every system, or that
    ///   changes while it is packed; `invalidPlace` if the folder has other content for the same version; `storage`,
    ///   `noSpace`, `cancelled`.
    public static func pack(
        _ package: ContentPackage, into folder: URL, withFiles: Bool = false, limits: ContentLimits = ContentLimits(),
        replaces: Bool = false
    ) throws(ContentError) -> Packed {
        try pack(package, into: folder, withFiles: withFiles, limits: limits, replaces: replaces, codec: nil)
    }

    /// Packs a package into a zip, or with a codec into a compressed tar.
    package static func pack(
        _ package: ContentPackage, into folder: URL, withFiles: Bool = false, limits: ContentLimits = ContentLimits(),
        replaces: Bool = false, codec: (any TarCodec)?
    ) throws(ContentError) -> Packed {
        let name = try fileName(of: package.info)
        let fileExtension = codec?.fileExtension ?? "zip"
        let archive = folder.appending(component: "\(name).\(fileExtension)")
        let temporary = folder.appending(component: ".\(UUID().uuidString).\(fileExtension)")
        do throws(ContentError) {
            let writer: any ArchiveWriter =
                if let codec { try codec.writer(temporary) } else { try ZipWriter(temporary) }
            var manifest = try write(package, to: writer, at: temporary, name: archive.lastPathComponent)
            if withFiles {
                manifest.filesFolder = filesFolder
                try copyFiles(of: manifest, from: package, into: folder.appending(component: filesFolder))
            }
            _ = try ContentArchive.verify(temporary, manifest: manifest, limits: limits, codec: codec)
            let bytes = Data(try manifest.bytes())
            let manifestFile = folder.appending(component: "\(name).plist")
            if !replaces { try checkPublished(manifestFile, is: bytes, of: manifest) }
            try FolderTree.replace(archive, with: temporary)
            do {
                try DurableFile.write(bytes, to: manifestFile)
            } catch {
                throw ContentError(error, at: manifestFile)
            }
            return Packed(
                archive: archive, manifestFile: manifestFile,
                manifestDigest: SHA256.hash(data: bytes).hexadecimal, manifestLength: bytes.count,
                manifest: manifest)
        } catch {
            // A file that cannot be removed remains under its unique temporary name.
            try? FolderTree.remove(temporary)
            throw error
        }
    }

    /// Checks that a manifest file is missing or has the given bytes.
    private static func checkPublished(
        _ file: URL, is bytes: Data, of manifest: ContentManifest
    ) throws(ContentError) {
        guard try FolderTree.status(of: file) != nil,
            try BoundedFile.content(of: file, limit: ContentManifest.sizeLimit) != bytes
        else { return }
        throw .invalidPlace(
            "\(file.relativePath) is of other content of \(manifest.productIdentifier) \(manifest.version): apps whose "
                + "catalog has its digest could not download the content any more")
    }

    private static let longestName = 200

    /// Returns the name of the packed files, without extension: the product's identifier, a `-` and its version, where
    /// other characters than letters, digits and `.` are written as `_` and two hexadecimal digits. The last `-` of the
    /// name separates identifier and version.
    private static func fileName(of info: ContentInfo) throws(ContentError) -> String {
        let name =
            escaped(info.productIdentifier, plain: ".-", first: "") + "-"
            + escaped(info.version, plain: ".", first: ".")
        guard name.utf8.count <= longestName else {
            throw .invalidPackage(
                "the product \(info.productIdentifier.quoted) and its version are too long for the name of a file")
        }
        return name
    }

    /// Escapes each character that must not occur in a file name.
    ///
    /// - Parameters:
    ///   - plain: Characters that are not escaped, in addition to letters and digits.
    ///   - first: Characters of `plain` that are not escaped at the beginning of the text either; empty for the product
    ///     identifier, because a file name must not begin with a point or a dash.
    private static func escaped(_ text: String, plain: String, first: String) -> String {
        var escaped = ""
        for byte in text.utf8 {
            let character = Character(Unicode.Scalar(byte))
            let isPlain = character.isASCII && (character.isLetter || character.isNumber)
            if isPlain || (escaped.isEmpty ? first : plain).contains(character) {
                escaped.append(character)
            } else {
                escaped += "_" + (byte < 16 ? "0" : "") + String(byte, radix: 16)
            }
        }
        return escaped
    }

    /// Files and empty folders to pack, sorted by their paths.
    private struct Plan {
        /// Files with their paths in the package and their locations on disk.
        var files: [(path: PackagePath, url: URL)] = []
        var emptyFolders: [PackagePath] = []

        init(_ package: ContentPackage) {
            let walk = package.contents
            let files = walk.files.filter { !PackageName.isLeftByMac($0) }
            let folders = walk.folders.filter { $0.first != PackageName.macFolder }
            var parents: Set<[String]> = []
            for names in files + folders { parents.insert(names.dropLast()) }
            self.files = files.map { names in
                (PackagePath(names: [PackagePath.contents] + names), FolderWalk.url(names, in: package.contentsFolder))
            }
            emptyFolders = (folders + [[]]).filter { !parents.contains($0) }
                .map { PackagePath(names: [PackagePath.contents] + $0) }
            self.files.sort { $0.path < $1.path }
            emptyFolders.sort()
        }
    }

    private static func write(
        _ package: ContentPackage, to writer: any ArchiveWriter, at archive: URL, name: String
    ) throws(ContentError) -> ContentManifest {
        let plan = Plan(package)
        let info = Data(package.info.bytes)
        try writer.addFile(ContentInfo.fileName, length: info.count, isExecutable: false) {
            (write) throws(ContentError) in try write(info)
        }
        var files = [
            ContentManifest.File(
                path: ContentInfo.fileName, length: info.count, digest: SHA256.hash(data: info).hexadecimal)
        ]
        for folder in plan.emptyFolders { try writer.addFolder(folder.text) }
        for file in plan.files { files.append(try add(file.path, at: file.url, to: writer)) }
        try writer.finish()
        let (digest, length) = try ContentDigest.of(archive)
        let manifest = ContentManifest(
            productIdentifier: package.info.productIdentifier, version: package.info.version,
            archive: ContentManifest.Archive(name: name, length: length, digest: digest), files: files,
            emptyFolders: plan.emptyFolders.map(\.text))
        try manifest.check()
        return manifest
    }

    private static func add(
        _ path: PackagePath, at url: URL, to writer: any ArchiveWriter
    ) throws(ContentError) -> ContentManifest.File {
        guard let status = try FolderTree.status(of: url), status.kind == .file else {
            throw .invalidPackage("\(url.relativePath) is not a regular file")
        }
        var (hash, length) = (SHA256(), 0)
        let changed = ContentError.invalidPackage("\(url.relativePath) changed while it was packed")
        try writer.addFile(path.text, length: status.length, isExecutable: status.isExecutable) {
            (write) throws(ContentError) in
            try FileBlocks.read(url) { (block) throws(ContentError) in
                hash.update(data: block)
                length += block.count
                guard length <= status.length else { throw changed }
                try write(block)
            }
        }
        guard length == status.length else { throw changed }
        return ContentManifest.File(
            path: path.text, isExecutable: status.isExecutable, length: length,
            digest: hash.finalize().hexadecimal)
    }

    /// Copies each file of a package to a file named by its digest, unless that file exists.
    private static func copyFiles(
        of manifest: ContentManifest, from package: ContentPackage, into folder: URL
    ) throws(ContentError) {
        try FolderTree.makeFolder(folder)
        for file in manifest.files {
            let place = folder.appending(component: file.digest)
            if try FolderTree.status(of: place)?.kind == .file, try ContentDigest.of(place).digest == file.digest {
                continue
            }
            let temporary = folder.appending(component: ".\(UUID().uuidString)")
            do throws(ContentError) {
                try copy(file, from: package, to: temporary)
                try FolderTree.replace(place, with: temporary)
            } catch {
                try? FolderTree.remove(temporary)
                throw error
            }
        }
    }

    private static func copy(
        _ file: ContentManifest.File, from package: ContentPackage, to url: URL
    ) throws(ContentError) {
        let copy = try NewFile(url)
        var hash = SHA256()
        if file.path == ContentInfo.fileName {
            hash.update(data: package.info.bytes)
            try copy.write(Data(package.info.bytes))
        } else {
            let names = file.path.utf8.split(separator: UInt8(ascii: "/")).dropFirst().map { String(Substring($0)) }
            try FileBlocks.read(FolderWalk.url(names, in: package.contentsFolder)) { (block) throws(ContentError) in
                hash.update(data: block)
                try copy.write(block)
            }
        }
        try copy.finish()
        guard hash.finalize().hexadecimal == file.digest else {
            throw .invalidPackage("\(file.path.quoted) changed while it was packed")
        }
    }
}
