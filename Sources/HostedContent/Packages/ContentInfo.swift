internal import FileSystem
internal import Foundation
internal import ProductCatalog
internal import PropertyList

/// Content of a package's `ContentInfo.plist`, with the keys of Apple's
/// [hosted content](https://developer.apple.com/library/archive/documentation/LanguagesUtilities/Conceptual/iTunesConnectInAppPurchase_Guide/Chapters/UploadingHostedContent.html).
public struct ContentInfo: Sendable, Hashable {
    /// `IAPProductIdentifier`.
    public let productIdentifier: String
    /// `ContentVersion`: displayed, and compared for equality only.
    public let version: String
    /// Bytes of the file as it was read.
    let bytes: [UInt8]

    static let fileName = "ContentInfo.plist"

    /// In bytes.
    static let sizeLimit = 64 * 1024

    /// - Throws: ``ContentError``: `notFound` if there is no such file, `invalidPackage` if it cannot be used.
    init(file: URL) throws(ContentError) {
        let path = file.relativePath
        guard let kind = try FolderTree.status(of: file)?.kind else {
            throw ContentError(code: .notFound, reason: "\(path): there is no such file")
        }
        guard kind == .file else {
            let what = kind == .link ? "is a symbolic link" : "is not a regular file"
            throw ContentError(code: .invalidPackage, reason: "\(path) \(what)")
        }
        let bytes: Data
        do {
            bytes = try BoundedFile.read(file, limit: Self.sizeLimit)
        } catch {
            throw ContentError(code: .storage, reason: "\(path): \(error.reason)")
        }
        try self.init(bytes: Array(bytes), path: path)
    }

    /// - Parameter path: Path of the file, for messages.
    /// - Throws: ``ContentError`` `invalidPackage` for an unusable file.
    init(bytes: [UInt8], path: String) throws(ContentError) {
        let document: PropertyListDocument
        do {
            document = try PropertyListDocument(bytes: bytes, limits: PropertyListLimits(size: Self.sizeLimit))
        } catch {
            let place = error.position.map { "\(path):\($0)" } ?? path
            throw ContentError(code: .invalidPackage, reason: "\(place): \(error.reason)")
        }
        self.bytes = bytes
        productIdentifier = try Self.string("IAPProductIdentifier", in: document, path: path)
        version = try Self.string("ContentVersion", in: document, path: path)
    }

    /// - Throws: ``ContentError`` `invalidPackage` for a text that cannot be written.
    init(productIdentifier: String, version: String) throws(ContentError) {
        self.productIdentifier = productIdentifier
        self.version = version
        do {
            bytes = Array(
                try PropertyListSerialization.data(
                    fromPropertyList: ["IAPProductIdentifier": productIdentifier, "ContentVersion": version],
                    format: .xml, options: 0))
        } catch {
            throw ContentError(
                code: .invalidPackage, reason: "what \(productIdentifier) has cannot be described: \(error)")
        }
    }

    private static func string(
        _ key: String, in document: PropertyListDocument, path: String
    ) throws(ContentError) -> String {
        let root = document.root
        let values = root.entries.filter { $0.key == key }
        guard values.count == 1, let text = values[0].value.string, !text.isEmpty, text.utf8.count <= 255 else {
            let position = values.last?.value.position ?? root.position
            throw ContentError(
                code: .invalidPackage, reason: "\(path):\(position): \(key) must occur once, as a short string")
        }
        return text
    }
}
