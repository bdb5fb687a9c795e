internal import Crypto
internal import Foundation
internal import ProductCatalog

/// Where the files and folders of an archive go.
protocol PackageSink {
    mutating func addFolder(_ path: PackagePath) throws(ContentError)

    /// - Returns: The file to be written and finished; `nil` where nothing is to be written.
    mutating func makeFile(_ path: PackagePath, isExecutable: Bool) throws(ContentError) -> NewFile?
}

/// Reads a package from an archive, and believes nothing of what that says.
struct PackageReader {
    let file: ArchiveFile
    let manifest: ContentManifest?
    let limits: ContentLimits
    private let kind: ArchiveKind

    /// What was read.
    struct Result {
        let info: ContentInfo
        var files: [ContentManifest.File]
        var emptyFolders: [String]
    }

    init(_ archive: URL, manifest: ContentManifest?, limits: ContentLimits) throws(ContentError) {
        file = try ArchiveFile(archive)
        guard let kind = ArchiveKind(start: try file.read(at: 0, count: ArchiveKind.startLength)) else {
            throw ContentError(
                code: .invalidPackage, reason: "\(archive.relativePath) is no zip, no tar and no xar package")
        }
        (self.manifest, self.limits, self.kind) = (manifest, limits, kind)
    }

    /// - Throws: ``ContentError``: `invalidPackage` for an archive that no package may be in, `wrongContent` where it does
    ///   not hold what the manifest lists, `storage`, `cancelled`, or what the sink throws.
    func read(into sink: inout some PackageSink) throws(ContentError) -> Result {
        if kind == .zip { try ZipLayout.check(file, limits: limits) }
        // With a manifest every entry is known beforehand; without one, the first pass finds out where the package lies.
        var pass = PackagePass(
            reader: self, expected: try manifest.map(ExpectedPackage.init), root: manifest == nil ? try root() : [])
        let reader = try makeReader()
        while let entry = try reader.next() { try pass.take(entry, from: reader, into: &sink) }
        return try pass.end()
    }

    /// The folders in which the package lies in the archive: none, or one.
    private func root() throws(ContentError) -> [String] {
        var paths = ArchivePaths(reader: self)
        var roots: Set<[String]> = []
        let reader = try makeReader()
        while let entry = try reader.next() {
            guard let path = try paths.path(of: entry) else { continue }
            try paths.addLength(of: entry)
            if path.names.last == ContentInfo.fileName, path.names.count <= 2 { roots.insert(path.names.dropLast()) }
        }
        if roots.contains([]) { return [] }
        guard let root = roots.first, roots.count == 1 else {
            throw error(
                roots.isEmpty ? "it has no \(ContentInfo.fileName)" : "it has more than one \(ContentInfo.fileName)")
        }
        return root
    }

    private func makeReader() throws(ContentError) -> some ArchiveReader {
        try LibArchiveReader(file, kind: kind)
    }

    func error(_ reason: String, code: ContentError.Code = .invalidPackage) -> ContentError {
        ContentError(code: code, reason: "\(file.url.relativePath): \(reason)")
    }
}

/// The paths of an archive's entries while it is read.
struct ArchivePaths {
    let reader: PackageReader
    private var tree = PackageTree()
    private var count = 0
    private(set) var length = 0

    init(reader: PackageReader) { self.reader = reader }

    /// - Returns: `nil` for what no package is meant to have, and the archived folder itself.
    mutating func path(of entry: ArchiveEntry) throws(ContentError) -> PackagePath? {
        count += 1
        guard count <= reader.limits.entries else {
            throw reader.error("it holds more than \(reader.limits.entries) files and folders")
        }
        if case .refused(let what) = entry.kind { throw reader.error("\(entry.path.quoted) \(what)") }
        do throws(PackageDefect) {
            guard let path = try PackagePath.archived(entry.path) else { return nil }
            try tree.add(path, isFolder: entry.kind == .folder)
            return reader.manifest == nil && PackageName.isLeftByMac(path.names) ? nil : path
        } catch {
            throw reader.error("\(entry.path.quoted) \(error.reason)")
        }
    }

    /// Adds the length that the archive says.
    mutating func addLength(of entry: ArchiveEntry) throws(ContentError) {
        if case .file(let length?, _) = entry.kind { try addLength(length) }
    }

    mutating func addLength(_ added: Int) throws(ContentError) {
        let (sum, overflows) = length.addingReportingOverflow(added)
        guard added >= 0, !overflows else { throw reader.error("it says a length that no file has") }
        length = sum
        if let excess = reader.limits.excess(of: length, from: reader.file.length) { throw reader.error(excess) }
    }
}

/// What a manifest lists, to be looked up while an archive is read.
private struct ExpectedPackage {
    let manifest: ContentManifest
    /// By the path in its composed spelling, which archives are read in.
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

    mutating func takeFile(_ path: PackagePath) -> ContentManifest.File? {
        files.removeValue(forKey: Self.key(path.text))
    }

    mutating func takeEmptyFolder(_ path: PackagePath) -> String? {
        emptyFolders.removeValue(forKey: Self.key(path.text))
    }

    func hasFolder(_ path: PackagePath) -> Bool { folders.contains(Self.key(path.text)) }

    /// The first that has not been taken.
    var missing: String? { (files.values.map(\.path) + emptyFolders.values).min() }
}

/// One reading of an archive from its beginning to its end.
private struct PackagePass {
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

    mutating func take(
        _ entry: ArchiveEntry, from archive: some ArchiveReader, into sink: inout some PackageSink
    ) throws(ContentError) {
        let path = try paths.path(of: entry).flatMap(inPackage)
        guard let path else { return try skipContent(of: entry, from: archive) }
        switch entry.kind {
        case .folder: try takeFolder(path, into: &sink)
        case .file(let length, let isExecutable):
            try takeFile(path, length: length, isExecutable: isExecutable, from: archive, into: &sink)
        case .refused: break
        }
    }

    /// The path from the package's folder on; `nil` for what lies beside what a package has, where nobody has listed it.
    private func inPackage(_ path: PackagePath) throws(ContentError) -> PackagePath? {
        guard path.names.starts(with: root) else {
            throw reader.error("\(path.text.quoted) is not in \((root.first ?? "").quoted), as the package is")
        }
        let path = PackagePath(names: Array(path.names.dropFirst(root.count)))
        if expected != nil { return path }
        guard path.names == [ContentInfo.fileName] || path.names.first == PackagePath.contents else { return nil }
        return path
    }

    /// What is skipped is read, too: only so is it known where it ends.
    private mutating func skipContent(of entry: ArchiveEntry, from archive: some ArchiveReader) throws(ContentError) {
        guard case .file = entry.kind else { return }
        try archive.readContent { (block) throws(ContentError) in try paths.addLength(block.count) }
    }

    private mutating func takeFolder(_ path: PackagePath, into sink: inout some PackageSink) throws(ContentError) {
        var path = path
        if var expected {
            if let spelling = expected.takeEmptyFolder(path) {
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

    private mutating func takeFile(
        _ path: PackagePath, length: Int?, isExecutable: Bool, from archive: some ArchiveReader,
        into sink: inout some PackageSink
    ) throws(ContentError) {
        var (path, isExecutable) = (path, isExecutable)
        var listing: ContentManifest.File?
        if expected != nil {
            guard let found = expected?.takeFile(path) else {
                throw reader.error("\(path.text.quoted) is not in the manifest", code: .wrongContent)
            }
            guard length == nil || length == found.length else {
                throw reader.error(
                    "\(path.text.quoted) is \(length ?? 0) bytes long, and \(found.length) in the manifest",
                    code: .wrongContent)
            }
            (path, isExecutable, listing) = (try listed(found.path), found.isExecutable, found)
        }
        try check(path, isFolder: false)
        let most = listing?.length ?? length
        let isInfo = path.names == [ContentInfo.fileName]
        var (hash, count, kept) = (SHA256(), 0, [UInt8]())
        let file = try sink.makeFile(path, isExecutable: isExecutable)
        try archive.readContent { (block) throws(ContentError) in
            count += block.count
            guard count <= most ?? .max else { throw reader.error("\(path.text.quoted) is longer than it says") }
            try paths.addLength(block.count)
            hash.update(bufferPointer: block)
            if isInfo, count <= ContentInfo.sizeLimit { kept += block }
            try file?.write(Data(block))
        }
        guard count == most ?? count else { throw reader.error("\(path.text.quoted) is shorter than it says") }
        let digest = ContentDigest.text(hash.finalize())
        guard listing?.digest ?? digest == digest else {
            throw reader.error("\(path.text.quoted) is not what the manifest lists", code: .wrongContent)
        }
        try file?.finish()
        guard !isInfo || count <= ContentInfo.sizeLimit else { throw reader.error("\(path.text.quoted) is too long") }
        if isInfo { info = kept }
        parents.formUnion(path.parents)
        files.append(
            ContentManifest.File(path: path.text, isExecutable: isExecutable, length: count, digest: digest))
    }

    /// The path as the manifest spells it.
    private func listed(_ text: String) throws(ContentError) -> PackagePath {
        do throws(PackageDefect) {
            return try PackagePath(text)
        } catch {
            throw reader.error("\(text.quoted) \(error.reason)")
        }
    }

    private func check(_ path: PackagePath, isFolder: Bool) throws(ContentError) {
        do throws(PackageDefect) {
            try path.checkPlace(isFolder: isFolder)
        } catch {
            throw reader.error("\(path.text.quoted) \(error.reason)")
        }
    }

    func end() throws(ContentError) -> PackageReader.Result {
        if let missing = expected?.missing {
            throw reader.error("\(missing.quoted) is in the manifest, and not in it", code: .wrongContent)
        }
        guard let info else { throw reader.error("it has no \(ContentInfo.fileName)") }
        guard folders.contains(PackagePath.contents) || parents.contains(PackagePath.contents) else {
            throw reader.error("it has no folder \(PackagePath.contents)")
        }
        let parsed = try ContentInfo(bytes: info, path: "\(reader.file.url.relativePath): \(ContentInfo.fileName)")
        if let manifest = reader.manifest {
            guard parsed.productIdentifier == manifest.productIdentifier, parsed.version == manifest.version else {
                throw reader.error(
                    "its \(ContentInfo.fileName) is for another product or version than the manifest",
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
    /// The folders that it lies in.
    var parents: [String] {
        (1..<max(1, names.count)).map { names.prefix($0).joined(separator: "/") }
    }
}
