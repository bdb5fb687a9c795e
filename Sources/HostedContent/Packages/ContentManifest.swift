internal import Crypto
internal import FileSystem
internal import Foundation

/// Exact description of an archive of content: a property list beside the archive on the server.
public struct ContentManifest: Sendable, Hashable {
    /// Archive that the manifest describes.
    public struct Archive: Sendable, Hashable {
        /// Name of the file, which lies beside the manifest.
        public var name: String
        /// In bytes.
        public var length: Int
        /// SHA-256 in 64 small hexadecimal digits.
        public var digest: String

        public init(name: String, length: Int, digest: String) {
            self.name = name
            self.length = length
            self.digest = digest
        }
    }

    /// A file in the archive.
    public struct File: Sendable, Hashable {
        /// Path in the package, as `Contents/Maps/rome.png`.
        public var path: String
        public var isExecutable: Bool
        /// In bytes.
        public var length: Int
        /// SHA-256 in 64 small hexadecimal digits.
        public var digest: String

        public init(path: String, isExecutable: Bool = false, length: Int, digest: String) {
            self.path = path
            self.isExecutable = isExecutable
            self.length = length
            self.digest = digest
        }
    }

    public var productIdentifier: String
    public var version: String
    public var archive: Archive
    /// `ContentInfo.plist` and all files in `Contents`, in the order of their paths' bytes.
    public var files: [File]
    /// Empty folders, as `Contents/Notes`, in the order of their paths' bytes.
    public var emptyFolders: [String]
    /// Folder beside the manifest in which the server has each file, named by its digest; `nil` if it has only the
    /// archive.
    public var filesFolder: String?

    public init(
        productIdentifier: String, version: String, archive: Archive, files: [File], emptyFolders: [String] = [],
        filesFolder: String? = nil
    ) {
        self.productIdentifier = productIdentifier
        self.version = version
        self.archive = archive
        self.files = files
        self.emptyFolders = emptyFolders
        self.filesFolder = filesFolder
    }
}

/// SHA-256 of content, as manifests write it.
enum ContentDigest {
    /// Returns `true` for 64 lowercase hexadecimal digits.
    static func isDigest(_ text: String) -> Bool {
        text.utf8.count == 64
            && text.utf8.allSatisfy { byte in
                UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte || UInt8(ascii: "a")...UInt8(ascii: "f") ~= byte
            }
    }

    static func text(_ digest: some Sequence<UInt8>) -> String {
        let digits = Array("0123456789abcdef".utf8)
        return String(decoding: digest.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    }

    /// Returns the digest and the length of a file, read block by block.
    static func of(_ file: URL) throws(ContentError) -> (digest: String, length: Int) {
        var (hash, length) = (SHA256(), 0)
        try FileBlocks.read(file) { (block) throws(ContentError) in
            hash.update(data: block)
            length += block.count
        }
        return (text(hash.finalize()), length)
    }
}
