internal import Foundation

/// Files of a manifest, looked up while an archive is read.
struct ExpectedPackage {
    let manifest: ContentManifest
    /// Files by path in composed spelling, in which archives are read.
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

    /// First file that was not found yet.
    var missing: String? { (files.values.map(\.path) + emptyFolders.values).min() }
}
