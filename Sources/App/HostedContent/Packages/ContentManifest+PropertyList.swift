internal import Foundation
internal import VitrineCatalog
internal import VitrinePropertyList
public import VitrineSupport

// The keys of the property list: IAPProductIdentifier and ContentVersion as in ContentInfo.plist, Archive (Name,
// Length, SHA256), Files (Path, Length, SHA256, Executable where it is true), EmptyFolders and FilesFolder where there
// are any.

extension ContentManifest {
    package static let sizeLimit = 16 * 1024 * 1024

    /// Reads a manifest. Unknown keys are ignored.
    ///
    /// - Throws: ``ContentError`` `invalidPackage`, with the position of the defect: a value that is missing or of the
    ///   wrong type, a path that is neither `ContentInfo.plist` nor in `Contents`, or a path that some file system does
    ///   not accept, or does not distinguish from another path of the manifest.
    public init(bytes: [UInt8]) throws(ContentError) {
        let document: PropertyListDocument
        do {
            document = try PropertyListDocument(
                bytes: bytes,
                limits: PropertyListLimits(size: Self.sizeLimit, depth: 8, stringLength: 4_096, keyLength: 256))
        } catch {
            let location = error.position.map { "\($0): " } ?? ""
            throw .invalidPackage("the manifest: \(location)\(error.reason)")
        }
        let root = ManifestValue(document.root)
        let archive = try root.dictionary("Archive")
        try self.init(
            productIdentifier: root.text("IAPProductIdentifier"), version: root.text("ContentVersion"),
            archive: Archive(
                name: archive.text("Name"), length: archive.length("Length"), digest: archive.digest("SHA256")),
            files: root.elements("Files").map { (file) throws(ContentError) in
                try File(
                    path: file.text("Path", longest: 1_024), isExecutable: file.flag("Executable"),
                    length: file.length("Length"), digest: file.digest("SHA256"))
            },
            emptyFolders: root.elements("EmptyFolders", isOptional: true).map { (folder) throws(ContentError) in
                try folder.text()
            },
            filesFolder: root.has("FilesFolder") ? root.text("FilesFolder") : nil)
        try check()
        sort()
    }

    /// Returns the manifest as XML. Equal manifests give the same bytes.
    ///
    /// - Throws: ``ContentError`` `invalidPackage` for an invalid manifest.
    public func bytes() throws(ContentError) -> [UInt8] {
        try check()
        var sorted = self
        sorted.sort()
        do {
            let bytes = try sorted.propertyList.bytes()
            if bytes.count <= Self.sizeLimit { return bytes }
        } catch {
            throw .invalidPackage("the manifest cannot be written: \(error)")
        }
        throw .invalidPackage("the manifest would have more than \(Self.sizeLimit) bytes: too many files")
    }

    private var propertyList: PropertyListContent {
        var list: [String: PropertyListContent] = [
            "IAPProductIdentifier": .string(productIdentifier), "ContentVersion": .string(version),
            "Archive": .dictionary([
                "Name": .string(archive.name), "Length": .integer(archive.length), "SHA256": .string(archive.digest),
            ]),
            "Files": .array(files.map(\.listed)),
        ]
        if !emptyFolders.isEmpty { list["EmptyFolders"] = .array(emptyFolders.map(PropertyListContent.string)) }
        if let filesFolder { list["FilesFolder"] = .string(filesFolder) }
        return .dictionary(list)
    }

    private mutating func sort() {
        files.sort { $0.path.utf8.lexicographicallyPrecedes($1.path.utf8) }
        emptyFolders.sort { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    }

    /// Checks that the package that the manifest describes is valid.
    ///
    /// - Throws: ``ContentError`` `invalidPackage`.
    func check() throws(ContentError) {
        func refusal(_ name: String, _ reason: String) -> ContentError {
            .invalidPackage("the manifest: \(name.quoted) \(reason)")
        }
        for name in [archive.name, filesFolder].compactMap(\.self) {
            if let defect = PackageName.defect(of: name) { throw refusal(name, defect) }
            guard !name.utf8.contains(UInt8(ascii: "/")) else {
                throw refusal(name, "is not the name of a file or folder beside the manifest")
            }
        }
        let entries = files.map { ($0.path, false) } + emptyFolders.map { ($0, true) }
        guard entries.count <= ContentLimits().entries else {
            throw .invalidPackage("the manifest lists more than \(ContentLimits().entries) files")
        }
        var tree = PackageTree(most: ContentLimits().entries)
        var hasContents = false
        for (text, isFolder) in entries {
            do throws(ContentPathError) {
                let path = try PackagePath(text)
                try tree.add(path, isFolder: isFolder)
                try path.checkPlace(isFolder: isFolder)
                hasContents = hasContents || path.names.first == PackagePath.contents
            } catch {
                throw refusal(text, error.reason)
            }
        }
        guard hasContents, files.contains(where: { $0.path == ContentInfo.fileName }) else {
            throw .invalidPackage("the manifest lists no \(hasContents ? ContentInfo.fileName : PackagePath.contents)")
        }
        // The total length is checked here, so that later sums of lengths cannot overflow.
        var total = 0
        for file in files {
            let (sum, overflows) = total.addingReportingOverflow(file.length)
            guard !overflows else { throw refusal(file.path, "makes the total length of the files too large") }
            total = sum
        }
    }
}

extension ContentManifest.File {
    /// Dictionary that describes the file in a manifest or in the stored list of files.
    var listed: PropertyListContent {
        var entry: [String: PropertyListContent] = [
            "Path": .string(path), "Length": .integer(length), "SHA256": .string(digest),
        ]
        if isExecutable { entry["Executable"] = .boolean(true) }
        return .dictionary(entry)
    }
}

extension PackagePath {
    static let contents = "Contents"

    /// Checks that a package may contain the path.
    func checkPlace(isFolder: Bool) throws(ContentPathError) {
        if names == [ContentInfo.fileName], !isFolder { return }
        guard names.first == Self.contents, isFolder || names.count > 1 else {
            throw ContentPathError(reason: "is neither \(ContentInfo.fileName) nor in \(Self.contents)")
        }
        let isOwn =
            names.count >= 2
            && InstalledContent.ownNames.contains { $0.foldedFileName == names[1].foldedFileName }
        guard !isOwn else {
            throw ContentPathError(reason: "has a reserved name, which content directories use")
        }
    }
}

/// An unchecked value of a manifest.
private struct ManifestValue {
    private let value: PropertyListValue

    init(_ value: PropertyListValue) { self.value = value }

    private func refusal(_ value: PropertyListValue, _ reason: String) -> ContentError {
        .invalidPackage("the manifest: \(value.position): \(reason)")
    }

    /// Returns the value of a key. The dictionary must not contain the key twice.
    private func entry(_ key: String) throws(ContentError) -> PropertyListValue? {
        let values = value.entries.filter { $0.key == key }
        guard values.count <= 1 else { throw refusal(values[1].keyValue, "\(key) occurs twice") }
        return values.first?.value
    }

    private func required(_ key: String) throws(ContentError) -> PropertyListValue {
        guard let value = try entry(key) else { throw refusal(value, "\(key) is missing") }
        return value
    }

    func has(_ key: String) throws(ContentError) -> Bool { try entry(key) != nil }

    func dictionary(_ key: String) throws(ContentError) -> ManifestValue {
        let value = try required(key)
        guard value.kind == .dictionary else { throw refusal(value, "\(key) must be a dictionary") }
        return ManifestValue(value)
    }

    func elements(_ key: String, isOptional: Bool = false) throws(ContentError) -> [ManifestValue] {
        if isOptional, try !has(key) { return [] }
        let value = try required(key)
        guard value.kind == .array else { throw refusal(value, "\(key) must be an array") }
        return value.elements.map(ManifestValue.init)
    }

    func text() throws(ContentError) -> String {
        guard let text = value.string else { throw refusal(value, "each empty folder must be a string") }
        return text
    }

    func text(_ key: String, longest: Int = 255) throws(ContentError) -> String {
        let value = try required(key)
        guard let text = value.string, !text.isEmpty, text.utf8.count <= longest else {
            throw refusal(value, "\(key) must be a string of 1 to \(longest) bytes")
        }
        return text
    }

    func length(_ key: String) throws(ContentError) -> Int {
        let value = try required(key)
        guard let length = value.integer, length >= 0 else {
            throw refusal(value, "\(key) must be a number of at least zero")
        }
        return length
    }

    func digest(_ key: String) throws(ContentError) -> String {
        let value = try required(key)
        guard let text = value.string, ContentDigest.isDigest(text) else {
            throw refusal(value, "\(key) must be 64 lowercase hexadecimal digits")
        }
        return text
    }

    func flag(_ key: String) throws(ContentError) -> Bool {
        guard let value = try entry(key) else { return false }
        guard let flag = value.boolean else { throw refusal(value, "\(key) must be true or false") }
        return flag
    }
}
