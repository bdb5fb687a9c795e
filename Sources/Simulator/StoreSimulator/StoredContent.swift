internal import Crypto
internal import Foundation
internal import VitrineFileSystem
internal import VitrinePurchasing
internal import VitrineSupport

/// Packages of hosted content in the directory of a simulated store. The name of a package is the SHA-256 digest of its
/// product's identifier.
struct StoredContent: StoreHostedContent {
    let folder: URL
    let isOffline: @Sendable () async -> Bool

    private static let information = "ContentInfo.plist"
    private static let contents = "Contents"
    private static let packageName = "Package"

    func hasContent(for productIdentifier: String) -> Bool {
        FileManager.default.fileExists(atPath: place(of: productIdentifier).path(percentEncoded: false))
    }

    func contentPackage(
        for productIdentifier: String, in folder: URL,
        progress: @escaping @Sendable (_ received: Int, _ total: Int?) -> Void
    ) async throws(StoreError) -> URL? {
        guard hasContent(for: productIdentifier) else { return nil }
        guard await !isOffline() else { throw StoreError(code: .network, reason: "the store cannot be reached") }
        let source = place(of: productIdentifier)
        let package = folder.appending(component: Self.packageName, directoryHint: .isDirectory)
        do {
            try Self.removeIfPresent(package)
            try FileManager.default.createDirectory(at: package, withIntermediateDirectories: true)
            let files = try FileManager.default.subpathsOfDirectory(atPath: source.path(percentEncoded: false)).sorted()
            let total = try files.reduce(0) { try $0 + Self.length(of: source.appending(path: $1)) }
            var received = 0
            progress(received, total)
            for file in files {
                try Task.checkCancellation()
                let (from, to) = (source.appending(path: file), package.appending(path: file))
                if try Self.isFolder(from) {
                    try FileManager.default.createDirectory(at: to, withIntermediateDirectories: true)
                } else {
                    try FileManager.default.copyItem(at: from, to: to)
                    received += try Self.length(of: from)
                    progress(received, total)
                }
            }
            return package
        } catch is CancellationError {
            throw StoreError(code: .network, reason: "the download from the store was cancelled")
        } catch {
            throw StoreError(
                code: .storage,
                reason: "the content of \(productIdentifier) cannot be copied: \(BoundedFile.reason(for: error))")
        }
    }

    func add(_ package: URL, for product: String) throws(SimulatedStoreError) {
        do {
            guard try Self.isFolder(package.appending(component: Self.contents)),
                try !Self.isFolder(package.appending(component: Self.information))
            else { throw CocoaError(.fileReadCorruptFile) }
        } catch {
            throw SimulatedStoreError(
                code: .invalidContent,
                reason: "\(package.relativePath) does not contain \(Self.information) and a folder \(Self.contents)")
        }
        let (place, new) = (place(of: product), folder.appending(component: ".new-\(Self.name(of: product))"))
        do {
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            try Self.removeIfPresent(new)
            try FileManager.default.copyItem(at: package, to: new)
            try Self.removeIfPresent(place)
            try FileManager.default.moveItem(at: new, to: place)
        } catch {
            throw SimulatedStoreError(
                code: .storage,
                reason: "the content of \(product) cannot be stored: \(BoundedFile.reason(for: error))")
        }
    }

    private func place(of product: String) -> URL {
        folder.appending(component: Self.name(of: product), directoryHint: .isDirectory)
    }

    private static func name(of product: String) -> String {
        SHA256.hash(data: Data(product.utf8)).hexadecimal
    }

    private static func isFolder(_ url: URL) throws -> Bool {
        try FileManager.default.attributesOfItem(atPath: url.path(percentEncoded: false))[.type] as? FileAttributeType
            == .typeDirectory
    }

    private static func length(of url: URL) throws -> Int {
        try isFolder(url)
            ? 0
            : FileManager.default.attributesOfItem(atPath: url.path(percentEncoded: false))[.size] as? Int ?? 0
    }

    private static func removeIfPresent(_ url: URL) throws {
        guard FileManager.default.fileExists(atPath: url.path(percentEncoded: false)) else { return }
        try FileManager.default.removeItem(at: url)
    }
}
