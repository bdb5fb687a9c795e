internal import Foundation
internal import NIOCore
internal import NIOPosix
internal import VitrineCatalog
internal import VitrineFileSystem
internal import VitrineHostedContent

/// Function that opens a file below a folder, as ``OpenFile`` does.
typealias FileOpening = @Sendable (_ names: [String], _ folder: URL) throws(ContentUnavailable) -> OpenFile?

/// Mapping of the files in a content folder to the products that own them, according to the manifests in the folder.
actor ContentOwners {
    /// Contents of a manifest: its product, and the files beside it.
    private struct Manifest: Sendable {
        let stamp: FileStatus.Stamp
        let product: String
        let archive: String
        /// Name of the folder that contains each file of the content separately; `nil` if the content has only an
        /// archive.
        let filesFolder: String?
        let files: Set<String>
    }

    private struct Folder: Sendable {
        /// Manifests by file name.
        var manifests: [String: Manifest] = [:]
        var checked: ContinuousClock.Instant
    }

    /// Time for which the state of a folder is cached.
    private static let validity = Duration.seconds(1)
    private static let mostFolders = 1_000
    private static let mostNames = 100_000
    private static let longestManifest = 16 * 1024 * 1024

    private let root: URL
    private let open: FileOpening
    private var folders: [[String]: Folder] = [:]
    private var reading: [[String]: Task<Result<Folder, ContentUnavailable>, Never>] = [:]
    /// Products by the content path in their URLs, according to the catalog.
    private var addresses: (products: [String: Set<String>], read: ContinuousClock.Instant)?

    init(_ root: URL, open: @escaping FileOpening) { (self.root, self.open) = (root, open) }

    /// Returns the products that own a file of hosted content; empty if no manifest names the file.
    ///
    /// - Throws: ``ContentUnavailable`` if a folder or a manifest cannot be read at the moment.
    func products(of path: ServedPath) async throws(ContentUnavailable) -> Set<String> {
        guard let name = path.names.last else { return [] }
        let parents = Array(path.names.dropLast())
        var products: Set<String> = []
        let suffix = ContentManifest.signatureSuffix
        let signed = name.hasSuffix(suffix) ? String(name.dropLast(suffix.count)) : name
        for (file, manifest) in try await manifests(in: parents) where file == signed || manifest.archive == name {
            products.insert(manifest.product)
        }
        if let folder = parents.last {
            for manifest in try await manifests(in: parents.dropLast()).values
            where manifest.filesFolder == folder && manifest.files.contains(name) {
                products.insert(manifest.product)
            }
        }
        return products
    }

    /// Returns the products of a catalog with a content URL that ends with `/content/` and the path of a file.
    func products(naming path: ServedPath, in catalog: Catalog) -> Set<String> {
        if let addresses, addresses.read.duration(to: .now) < Self.validity {
            return addresses.products[path.description] ?? []
        }
        var products: [String: Set<String>] = [:]
        for product in catalog.withContent.map({ catalog.products[$0] }) {
            for url in product.content?.urls ?? [] {
                let address = url.path(percentEncoded: false)
                for range in address.ranges(of: "/content/") {
                    products[String(address[range.upperBound...]), default: []].insert(product.identifier)
                }
            }
        }
        addresses = (products, .now)
        return products[path.description] ?? []
    }

    private func manifests(in names: [String]) async throws(ContentUnavailable) -> [String: Manifest] {
        if let folder = folders[names], folder.checked.duration(to: .now) < Self.validity { return folder.manifests }
        if let task = reading[names] { return try await task.value.get().manifests }
        let (root, open, known) = (root, open, folders[names]?.manifests ?? [:])
        let task = Task { await Self.folder(names, below: root, open, known) }
        reading[names] = task
        let result = await task.value
        reading[names] = nil
        let folder = try result.get()
        if folders.count >= Self.mostFolders { folders = [:] }
        folders[names] = folder
        return folder.manifests
    }

    private static func folder(
        _ names: [String], below root: URL, _ open: @escaping FileOpening, _ known: [String: Manifest]
    ) async -> Result<Folder, ContentUnavailable> {
        do {
            return try await NIOThreadPool.singleton.runIfActive {
                do throws(ContentUnavailable) {
                    return .success(try read(names, below: root, open, known))
                } catch {
                    return .failure(error)
                }
            }
        } catch {
            return .failure(ContentUnavailable(reason: "the process ends"))
        }
    }

    private static func read(
        _ names: [String], below root: URL, _ open: FileOpening, _ known: [String: Manifest]
    ) throws(ContentUnavailable) -> Folder {
        var folder = Folder(checked: .now)
        let place = names.reduce(root) { $0.appending(component: $1) }
        let found: [String]
        do throws(FileSystemError) {
            found = try FolderTree<FileSystemError>.namesIfPresent(in: place, most: mostNames) ?? []
        } catch {
            guard error.kind == .system else { return folder }
            throw ContentUnavailable(reason: "a folder cannot be read: \(error.reason)")
        }
        for name in found where name.lowercased().hasSuffix(".plist") {
            guard let file = try open(names + [name], root) else { continue }
            if let manifest = known[name], manifest.stamp == file.stamp {
                folder.manifests[name] = manifest
            } else if let manifest = manifest(in: file) {
                folder.manifests[name] = manifest
            }
        }
        return folder
    }

    /// Reads a manifest; `nil` for a file that is not a manifest, or is incompletely written.
    private static func manifest(in file: OpenFile) -> Manifest? {
        guard file.length <= longestManifest else { return nil }
        do {
            let manifest = try ContentManifest(bytes: Array(try file.read(0..<file.length).readableBytesView))
            let files = manifest.filesFolder == nil ? [] : Set(manifest.files.map(\.digest))
            return Manifest(
                stamp: file.stamp, product: manifest.productIdentifier, archive: manifest.archive.name,
                filesFolder: manifest.filesFolder, files: files)
        } catch {
            return nil
        }
    }
}
