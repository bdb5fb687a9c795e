internal import Crypto
internal import Foundation
internal import VitrineCatalog
internal import VitrineFileSystem
internal import VitrineSupport

/// One pass over an archive from its beginning to its end, which checks the package's entries and extracts them.
struct PackagePass {
    private let reader: PackageReader
    private var expected: ExpectedPackage?
    private let root: [String]
    private var paths: ArchivePaths
    private var files: [ContentManifest.File] = []
    private var folders: Set<String> = []
    private var parents: Set<String> = []
    private var info: [UInt8]?

    init(reader: PackageReader, expected: ExpectedPackage?, root: [String]) {
        (self.reader, self.expected, self.root) = (reader, expected, root)
        paths = ArchivePaths(reader: reader)
    }

    mutating func process(
        _ entry: ArchiveEntry, from archive: some ArchiveReader, into sink: inout some PackageSink
    ) throws(ContentError) {
        let path = try paths.path(of: entry).flatMap(inPackage)
        guard let path else { return try skipContent(of: entry, from: archive) }
        switch entry.kind {
        case .folder: try processFolder(path, into: &sink)
        case .file(let length, let isExecutable):
            try processFile(path, length: length, isExecutable: isExecutable, from: archive, into: &sink)
        case .refused: break
        }
    }

    /// Returns the path of an archive's entry relative to the package; `nil` for an entry that does not belong to the
    /// package and is skipped. If a manifest lists the package's files, the path of every entry is returned, because
    /// an entry that the manifest does not list is an error.
    private func inPackage(_ path: PackagePath) throws(ContentError) -> PackagePath? {
        guard path.names.starts(with: root) else {
            throw reader.error(
                "\(path.text.quoted) is not in the folder \((root.first ?? "").quoted) that contains the package")
        }
        let path = PackagePath(names: Array(path.names.dropFirst(root.count)))
        if expected != nil { return path }
        guard path.names == [ContentInfo.fileName] || path.names.first == PackagePath.contents else { return nil }
        return path
    }

    /// Reads the content of an entry that is not unpacked, to count its bytes and find its end.
    private mutating func skipContent(of entry: ArchiveEntry, from archive: some ArchiveReader) throws(ContentError) {
        guard case .file = entry.kind else { return }
        try archive.readContent { (block) throws(ContentError) in try paths.addLength(block.count) }
    }

    private mutating func processFolder(_ path: PackagePath, into sink: inout some PackageSink) throws(ContentError) {
        var path = path
        if var expected {
            if let spelling = expected.consumeEmptyFolder(path) {
                path = try listed(spelling)
            } else if !expected.hasFolder(path) {
                throw reader.error("the folder \(path.text.quoted) is not in the manifest", code: .wrongContent)
            } else {
                return
            }
            self.expected = expected
        }
        try check(path, isFolder: true)
        folders.insert(path.text)
        parents.formUnion(path.parents)
        try sink.addFolder(path)
    }

    private mutating func processFile(
        _ path: PackagePath, length: Int?, isExecutable: Bool, from archive: some ArchiveReader,
        into sink: inout some PackageSink
    ) throws(ContentError) {
        var (path, isExecutable) = (path, isExecutable)
        var listing: ContentManifest.File?
        if expected != nil {
            guard let found = expected?.consumeFile(path) else {
                throw reader.error("\(path.text.quoted) is not in the manifest", code: .wrongContent)
            }
            guard length == nil || length == found.length else {
                throw reader.error(
                    "\(path.text.quoted) is \(length ?? 0) bytes long, but has \(found.length) bytes in the manifest",
                    code: .wrongContent)
            }
            (path, isExecutable, listing) = (try listed(found.path), found.isExecutable, found)
        }
        try check(path, isFolder: false)
        let most = listing?.length ?? length
        let isInfo = path.names == [ContentInfo.fileName]
        var (hash, count, collected) = (SHA256(), 0, [UInt8]())
        let file = try sink.makeFile(path, isExecutable: isExecutable)
        try archive.readContent { (block) throws(ContentError) in
            count += block.count
            guard count <= most ?? .max else {
                throw reader.error("\(path.text.quoted) is longer than the archive states")
            }
            try paths.addLength(block.count)
            hash.update(bufferPointer: block)
            if isInfo, count <= ContentInfo.sizeLimit { collected += block }
            try file?.write(Data(block))
        }
        guard count == most ?? count else {
            throw reader.error("\(path.text.quoted) is shorter than the archive states")
        }
        let digest = hash.finalize().hexadecimal
        guard listing?.digest ?? digest == digest else {
            throw reader.error(
                "\(path.text.quoted) does not have the digest that the manifest lists", code: .wrongContent)
        }
        try file?.finish()
        guard !isInfo || count <= ContentInfo.sizeLimit else {
            throw reader.error("\(path.text.quoted) is longer than \(ContentInfo.sizeLimit) bytes")
        }
        if isInfo { info = collected }
        parents.formUnion(path.parents)
        files.append(
            ContentManifest.File(path: path.text, isExecutable: isExecutable, length: count, digest: digest))
    }

    /// Parses a path that the manifest lists.
    private func listed(_ text: String) throws(ContentError) -> PackagePath {
        do throws(ContentPathError) {
            return try PackagePath(text)
        } catch {
            throw reader.error("\(text.quoted) \(error.reason)")
        }
    }

    private func check(_ path: PackagePath, isFolder: Bool) throws(ContentError) {
        do throws(ContentPathError) {
            try path.checkPlace(isFolder: isFolder)
        } catch {
            throw reader.error("\(path.text.quoted) \(error.reason)")
        }
    }

    func end() throws(ContentError) -> PackageReader.Result {
        if let missing = expected?.missing {
            throw reader.error("\(missing.quoted) is in the manifest but not in the archive", code: .wrongContent)
        }
        guard let info else { throw reader.error("the archive has no \(ContentInfo.fileName)") }
        guard folders.contains(PackagePath.contents) || parents.contains(PackagePath.contents) else {
            throw reader.error("the archive has no folder \(PackagePath.contents)")
        }
        let parsed = try ContentInfo(bytes: info, path: "\(reader.file.url.relativePath): \(ContentInfo.fileName)")
        if let manifest = reader.manifest {
            guard parsed.productIdentifier == manifest.productIdentifier, parsed.version == manifest.version else {
                throw reader.error(
                    "\(ContentInfo.fileName) in the archive names another product or version than the manifest",
                    code: .wrongContent)
            }
        }
        return PackageReader.Result(
            info: parsed,
            files: files.sorted { $0.path.utf8.lexicographicallyPrecedes($1.path.utf8) },
            emptyFolders: folders.subtracting(parents).sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) })
    }
}

extension PackagePath {
    /// Paths of the folders that contain the path, the outermost first.
    var parents: [String] {
        (1..<max(1, names.count)).map { names.prefix($0).joined(separator: "/") }
    }
}
