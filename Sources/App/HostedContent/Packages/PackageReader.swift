internal import Foundation
internal import VitrineCatalog
internal import VitrineFileSystem
internal import VitrineSupport

/// Destination of the files and folders of an archive.
protocol PackageSink {
    mutating func addFolder(_ path: PackagePath) throws(ContentError)

    /// Creates a file of the package, into which its content is then written.
    ///
    /// - Returns: The file to be written and finished; `nil` if nothing is to be written.
    mutating func makeFile(_ path: PackagePath, isExecutable: Bool) throws(ContentError) -> NewFile?
}

/// Reader of a package in an archive, which checks the paths, the types and the lengths of all entries.
struct PackageReader {
    let file: ArchiveFile
    let manifest: ContentManifest?
    let limits: ContentLimits
    private let kind: ArchiveKind
    private let codec: (any TarCodec)?

    /// Files and folders of the package that was read from an archive.
    struct Result {
        let info: ContentInfo
        var files: [ContentManifest.File]
        var emptyFolders: [String]
    }

    init(
        _ archive: URL, manifest: ContentManifest?, limits: ContentLimits, codec: (any TarCodec)?
    ) throws(ContentError) {
        file = try ArchiveFile(archive)
        guard let kind = ArchiveKind(start: try file.read(at: 0, count: ArchiveKind.startLength)) else {
            throw .invalidPackage("\(archive.relativePath) is neither a zip nor a tar")
        }
        guard kind != .xar else {
            throw .invalidPackage(
                "\(archive.relativePath) is an Apple package (.pkg, xar), which is not supported; convert it "
                    + "to a tar with: bsdtar -cf NAME.tar @NAME.pkg")
        }
        (self.manifest, self.limits, self.kind, self.codec) = (manifest, limits, kind, codec)
    }

    /// Reads the package and writes its files and folders to a destination.
    ///
    /// - Throws: ``ContentError``: `invalidPackage` for an invalid archive, `wrongContent` if its files differ from the
    ///   manifest, `storage`, `cancelled`, or the error of the sink.
    func read(into sink: inout some PackageSink) throws(ContentError) -> Result {
        let zip = kind == .zip ? try ZipLayout.entries(of: file, limits: limits) : []
        // With a manifest, every entry is known beforehand. Without one, a first pass finds the folder that contains
        // the package.
        var pass = PackagePass(
            reader: self, expected: try manifest.map(ExpectedPackage.init), root: manifest == nil ? try root(zip) : [])
        let reader = try makeReader(zip)
        while let entry = try reader.next() { try pass.process(entry, from: reader, into: &sink) }
        return try pass.end()
    }

    /// Returns the path of the folder in the archive that contains the package: one name, or none if the package is at
    /// the archive's top.
    private func root(_ zip: [ZipEntry]) throws(ContentError) -> [String] {
        var paths = ArchivePaths(reader: self)
        var roots: Set<[String]> = []
        let reader = try makeReader(zip)
        while let entry = try reader.next() {
            guard let path = try paths.path(of: entry) else { continue }
            try paths.addLength(of: entry)
            if path.names.last == ContentInfo.fileName, path.names.count <= 2 { roots.insert(path.names.dropLast()) }
        }
        if roots.contains([]) { return [] }
        guard let root = roots.first, roots.count == 1 else {
            throw error(
                roots.isEmpty
                    ? "the archive has no \(ContentInfo.fileName)"
                    : "the archive has more than one \(ContentInfo.fileName)")
        }
        return root
    }

    private func makeReader(_ zip: [ZipEntry]) throws(ContentError) -> any ArchiveReader {
        let bytes = FileBytes(file, 0..<file.length)
        switch kind {
        case .tar: return TarReader(bytes, of: file, limits: limits)
        case .gzippedTar: return TarReader(try InflatedBytes(.gzip, of: file, bytes), of: file, limits: limits)
        case .compressedTar(let compression):
            guard let codec else {
                throw error(
                    "the archive is compressed with \(compression.rawValue), which apps on Apple's systems cannot read; "
                        + "pack the content as a zip")
            }
            return TarReader(try codec.decompress(file, compression), of: file, limits: limits)
        case .zip, .xar: return try ZipReader(file, zip)
        }
    }

    func error(_ reason: String, code: ContentError.Code = .invalidPackage) -> ContentError {
        ContentError(code: code, reason: "\(file.url.relativePath): \(reason)")
    }
}

/// Checker of the paths and lengths of an archive's entries while the archive is read.
struct ArchivePaths {
    let reader: PackageReader
    private var tree: PackageTree
    private var count = 0
    private(set) var length = 0

    init(reader: PackageReader) {
        self.reader = reader
        tree = PackageTree(most: reader.limits.entries)
    }

    /// Returns the path of an entry, and counts the entry.
    ///
    /// - Returns: `nil` for files that macOS adds, and for the entry of the archived root folder itself.
    mutating func path(of entry: ArchiveEntry) throws(ContentError) -> PackagePath? {
        count += 1
        guard count <= reader.limits.entries else {
            throw reader.error("the archive holds more than \(reader.limits.entries) files and folders")
        }
        if case .refused(let what) = entry.kind { throw reader.error("\(entry.path.quoted) \(what)") }
        do throws(ContentPathError) {
            guard let path = try PackagePath.archived(entry.path) else { return nil }
            try tree.add(path, isFolder: entry.kind == .folder)
            return reader.manifest == nil && PackageName.isLeftByMac(path.names) ? nil : path
        } catch {
            throw reader.error("\(entry.path.quoted) \(error.reason)")
        }
    }

    /// Adds the length of a file, as the archive states it, to the length of all files.
    mutating func addLength(of entry: ArchiveEntry) throws(ContentError) {
        if case .file(let length?, _) = entry.kind { try addLength(length) }
    }

    mutating func addLength(_ added: Int) throws(ContentError) {
        let (sum, overflows) = length.addingReportingOverflow(added)
        guard added >= 0, !overflows else {
            throw reader.error(
                "the lengths of the files, as the archive states them, are negative or too large together")
        }
        length = sum
        if let excess = reader.limits.excess(of: length, from: reader.file.length) { throw reader.error(excess) }
    }
}
