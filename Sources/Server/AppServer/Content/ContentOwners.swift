internal import Foundation
internal import NIOCore
internal import NIOPosix
internal import VitrineCatalog
internal import VitrineFileSystem
internal import VitrineHostedContent

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
    private var folders: [[String]: Folder] = [:]
    private var reading: [[String]: Task<Folder, Never>] = [:]
    /// Products by the content path in their URLs, according to the catalog.
    private var addresses: (products: [String: Set<String>], read: ContinuousClock.Instant)?

    init(_ root: URL) { self.root = root }

    /// Returns the products that own a file of hosted content; empty if no manifest names the file.
    func products(of path: ServedPath) async -> Set<String> {
        guard let name = path.names.last else { return [] }
        let parents = Array(path.names.dropLast())
        var products: Set<String> = []
        let suffix = ContentManifest.signatureSuffix
        let signed = name.hasSuffix(suffix) ? String(name.dropLast(suffix.count)) : name
        for (file, manifest) in await manifests(in: parents) where file == signed || manifest.archive == name {
            products.insert(manifest.product)
        }
        if let folder = parents.last {
            for manifest in await manifests(in: parents.dropLast()).values
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

    private func manifests(in names: [String]) async -> [String: Manifest] {
        if let folder = folders[names], folder.checked.duration(to: .now) < Self.validity { return folder.manifests }
        if let task = reading[names] { return await task.value.manifests }
        let (root, known) = (root, folders[names]?.manifests ?? [:])
        let task = Task { await Self.folder(names, below: root, known) }
        reading[names] = task
        let folder = await task.value
        reading[names] = nil
        if folders.count >= Self.mostFolders { folders = [:] }
        folders[names] = folder
        return folder.manifests
    }

    private static func folder(_ names: [String], below root: URL, _ known: [String: Manifest]) async -> Folder {
        do {
            return try await NIOThreadPool.singleton.runIfActive { read(names, below: root, known) }
        } catch {
            // The thread pool is shut down, because the process ends.
            return Folder(checked: .now)
        }
    }

    private static func read(_ names: [String], below root: URL, _ known: [String: Manifest]) -> Folder {
        var folder = Folder(checked: .now)
        let place = names.reduce(root) { $0.appending(component: $1) }
        let found: [String]
        do throws(FileSystemError) {
            found = try FolderTree<FileSystemError>.namesIfPresent(in: place, most: mostNames) ?? []
        } catch {
            return folder
        }
        for name in found where name.lowercased().hasSuffix(".plist") {
            guard let file = OpenFile(names + [name], below: root) else { continue }
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
