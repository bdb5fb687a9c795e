internal import Crypto
package import Foundation
internal import VitrineCatalog
package import VitrineCatalogLoading
internal import VitrineFileSystem
internal import VitrinePropertyList
internal import VitrineSupport

/// Exact description of an archive of content: a property list beside the archive on the server.
public struct ContentManifest: Sendable, Hashable {
    /// Archive that the manifest describes.
    public struct Archive: Sendable, Hashable {
        /// Name of the archive's file, which lies beside the manifest.
        public var name: String
        /// Length of the archive in bytes.
        public var length: Int
        /// SHA-256 of the archive in 64 lowercase hexadecimal digits.
        public var digest: String

        public init(name: String, length: Int, digest: String) {
            self.name = name
            self.length = length
            self.digest = digest
        }
    }

    /// A file in the archive that the manifest describes.
    public struct File: Sendable, Hashable {
        /// Path in the package, such as `Contents/Maps/rome.png`.
        public var path: String
        public var isExecutable: Bool
        /// Length of the file in bytes.
        public var length: Int
        /// SHA-256 of the file in 64 lowercase hexadecimal digits.
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
    /// Files of the package: `ContentInfo.plist` and all files in `Contents`, in the order of their paths' bytes.
    public var files: [File]
    /// Empty folders, such as `Contents/Notes`, in the order of their paths' bytes.
    public var emptyFolders: [String]
    /// Name of the server's folder, beside the manifest, that contains each file separately, named by its digest; `nil`
    /// if the server has only the archive.
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
    /// Returns `true` if a text consists of 64 lowercase hexadecimal digits.
    static func isDigest(_ text: String) -> Bool {
        text.utf8.count == 64
            && text.utf8.allSatisfy { byte in
                UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte || UInt8(ascii: "a")...UInt8(ascii: "f") ~= byte
            }
    }

    /// Returns the digest and the length of a file, read block by block.
    static func of(_ file: URL) throws(ContentError) -> (digest: String, length: Int) {
        var (hash, length) = (SHA256(), 0)
        try FileBlocks.read(file) { (block) throws(ContentError) in
            hash.update(data: block)
            length += block.count
        }
        return (hash.finalize().hexadecimal, length)
    }
}

/// Signature of a manifest, in minisign's legacy form like a catalog's signature. Its trusted comment distinguishes it
/// from signatures of other files: `vitrine content product=com.example.voyager.rome version=1.0`.
extension ContentManifest {
    /// Suffix that is added to the name of a manifest's file to form the name of the file with its signature.
    package static let signatureSuffix = ".minisig"

    /// Returns the trusted comment of the manifest's signature.
    ///
    /// - Throws: ``CatalogSignatureFailure`` `statement` for a product identifier or version that the comment cannot
    ///   contain: it may have only ASCII letters, digits, points, hyphens and underscores.
    package func trustedComment() throws(CatalogSignatureFailure) -> String {
        for name in [productIdentifier, version] where !CatalogStatement.isName(name) {
            throw CatalogSignatureFailure(
                code: .statement,
                reason: "the product or version \(name.quoted) cannot be signed: use only letters, digits and . - _")
        }
        return "vitrine content product=\(productIdentifier) version=\(version)"
    }

    /// Checks that the manifest was signed by one of the signers, for its product and version.
    ///
    /// - Parameters:
    ///   - signature: The file with the signature.
    ///   - bytes: The file of the manifest that was signed.
    /// - Throws: ``CatalogSignatureFailure``, as ``ContentSigners/check(_:of:comment:at:)`` and ``trustedComment()``
    ///   do.
    package func check(
        _ signature: Data, of bytes: Data, by signers: ContentSigners, at now: Date
    ) throws(CatalogSignatureFailure) {
        try signers.check(signature, of: bytes, comment: trustedComment(), at: now)
    }
}

/// Content of a package's `ContentInfo.plist`, with the keys of Apple's
/// [hosted content](https://developer.apple.com/library/archive/documentation/LanguagesUtilities/Conceptual/iTunesConnectInAppPurchase_Guide/Chapters/UploadingHostedContent.html).
public struct ContentInfo: Sendable, Hashable {
    /// Identifier of the content's product: the value of `IAPProductIdentifier`.
    public let productIdentifier: String
    /// Version of the content, which is displayed and only compared for equality: the value of `ContentVersion`.
    public let version: String
    /// Bytes of the `ContentInfo.plist` as it was read.
    let bytes: [UInt8]

    static let fileName = "ContentInfo.plist"

    /// Maximum length of a `ContentInfo.plist` in bytes.
    static let sizeLimit = 64 * 1024

    /// Reads a `ContentInfo.plist`.
    ///
    /// - Throws: ``ContentError``: `notFound` if there is no such file, `invalidPackage` if it cannot be used.
    init(file: URL) throws(ContentError) {
        let path = file.relativePath
        guard let kind = try FolderTree.status(of: file)?.kind else {
            throw ContentError(code: .notFound, reason: "\(path): there is no such file")
        }
        guard kind == .file else {
            let what = kind == .link ? "is a symbolic link" : "is not a regular file"
            throw .invalidPackage("\(path) \(what)")
        }
        try self.init(bytes: Array(try BoundedFile.content(of: file, limit: Self.sizeLimit)), path: path)
    }

    /// Parses the bytes of a `ContentInfo.plist`.
    ///
    /// - Parameter path: Path of the file, for messages.
    /// - Throws: ``ContentError`` `invalidPackage` for an unusable file.
    init(bytes: [UInt8], path: String) throws(ContentError) {
        let document: PropertyListDocument
        do {
            document = try PropertyListDocument(bytes: bytes, limits: PropertyListLimits(size: Self.sizeLimit))
        } catch {
            let location = error.position.map { "\(path):\($0)" } ?? path
            throw .invalidPackage("\(location): \(error.reason)")
        }
        self.bytes = bytes
        productIdentifier = try Self.string("IAPProductIdentifier", in: document, path: path)
        version = try Self.string("ContentVersion", in: document, path: path)
    }

    /// Creates the content of a `ContentInfo.plist`.
    ///
    /// - Throws: ``ContentError`` `invalidPackage` for a text that cannot be written.
    init(productIdentifier: String, version: String) throws(ContentError) {
        self.productIdentifier = productIdentifier
        self.version = version
        do {
            bytes = try PropertyListContent.dictionary([
                "IAPProductIdentifier": .string(productIdentifier), "ContentVersion": .string(version),
            ]).bytes()
        } catch {
            throw .invalidPackage("ContentInfo.plist for \(productIdentifier) cannot be written: \(error)")
        }
    }

    private static func string(
        _ key: String, in document: PropertyListDocument, path: String
    ) throws(ContentError) -> String {
        let root = document.root
        let values = root.entries.filter { $0.key == key }
        guard values.count == 1, let text = values[0].value.string, !text.isEmpty, text.utf8.count <= 255 else {
            let position = values.last?.value.position ?? root.position
            throw .invalidPackage("\(path):\(position): \(key) must occur once, as a string of 1 to 255 bytes")
        }
        return text
    }
}
