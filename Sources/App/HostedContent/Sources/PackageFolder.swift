public import Foundation
internal import VitrineFileSystem
public import VitrineSupport

/// A folder with a package in each of its subfolders, as a source of content that is not downloaded.
public struct PackageFolder: Sendable {
    /// The folder that contains the folders of the packages.
    public let url: URL

    /// Creates the source without reading its folder.
    ///
    /// - Parameter url: Folder that contains the folders of the packages.
    public init(url: URL) { self.url = url }

    /// Opens every package in the folder at ``url``.
    ///
    /// - Throws: ``ContentError``: `notFound` if the folder does not exist, `invalidPackage` if a package cannot be
    ///   used or two packages are for one product, `storage` if something cannot be read.
    public func packages() throws(ContentError) -> [ContentPackage] {
        var packages: [String: ContentPackage] = [:]
        for folder in try folders() {
            let package = try ContentPackage(folder: folder)
            if let other = packages.updateValue(package, forKey: package.info.productIdentifier) {
                throw PackageIndex.twice(package.info.productIdentifier, other.url, folder)
            }
        }
        return packages.values.sorted { $0.info.productIdentifier < $1.info.productIdentifier }
    }

    /// Finds the packages in the folder at ``url``. Defects of a package are reported when the package is opened.
    ///
    /// - Throws: ``ContentError``: `notFound` if the folder does not exist, `storage` if it cannot be read.
    public func index() throws(ContentError) -> PackageIndex {
        var folders: [String: [URL]] = [:]
        for folder in try self.folders() {
            guard let info = try Self.info(ifUsable: folder) else { continue }
            folders[info.productIdentifier, default: []].append(folder)
        }
        return PackageIndex(url: url, folders: folders)
    }

    /// Returns the folders that contain a `ContentInfo.plist`.
    private func folders() throws(ContentError) -> [URL] {
        var folders: [URL] = []
        for name in try FolderTree.names(in: url) {
            let folder = url.appending(component: name)
            if try FolderTree.status(of: folder.appending(component: ContentInfo.fileName)) != nil {
                folders.append(folder)
            }
        }
        return folders
    }

    /// Reads the `ContentInfo.plist` of a package.
    ///
    /// - Returns: `nil` for a package without a usable `ContentInfo.plist`.
    private static func info(ifUsable folder: URL) throws(ContentError) -> ContentInfo? {
        do {
            return try ContentInfo(file: folder.appending(component: ContentInfo.fileName))
        } catch {
            guard error.code == .storage else { return nil }
            throw error
        }
    }
}

/// Index of the packages in a folder by product, as of the time when the folder was read.
public struct PackageIndex: Sendable {
    let url: URL
    let folders: [String: [URL]]

    /// Identifiers of the products that have a package in the folder.
    public var products: Set<String> { Set(folders.keys) }

    /// Opens the package of a product.
    ///
    /// - Throws: ``ContentError``: `notFound` if the product has no package, `invalidPackage` if it has two, or the
    ///   error of opening the package.
    public func package(for productIdentifier: String) throws(ContentError) -> ContentPackage {
        guard let found = folders[productIdentifier], let folder = found.first else {
            throw ContentError(
                code: .notFound, reason: "the folder \(url.relativePath) has no package for \(productIdentifier)")
        }
        guard found.count == 1 else { throw Self.twice(productIdentifier, found[0], found[1]) }
        return try ContentPackage(folder: folder)
    }

    static func twice(_ productIdentifier: String, _ one: URL, _ other: URL) -> ContentError {
        .invalidPackage(
            "\(one.relativePath) and \(other.relativePath) are both packages for \(productIdentifier)")
    }
}

extension PackageFolder: ContentSource {
    /// Opens the package of the requested product. Nothing is copied, and no progress is reported.
    public func fetch(
        _ request: ContentRequest, in folder: URL, progress: @escaping @Sendable (ContentProgress) -> Void
    ) async throws(ContentError) -> FetchedContent {
        .package(try index().package(for: request.productIdentifier).checked(for: request))
    }
}

extension ContentPackage {
    /// Returns the package if it has the requested product and version.
    ///
    /// - Throws: ``ContentError`` `wrongContent` otherwise.
    package func checked(for request: ContentRequest) throws(ContentError) -> ContentPackage {
        guard info.productIdentifier == request.productIdentifier else {
            throw .wrongContent(
                "the package \(url.relativePath) is for \(info.productIdentifier), "
                    + "not for \(request.productIdentifier)")
        }
        guard let version = request.version, version != info.version else { return self }
        throw .wrongContent(
            "the package \(url.relativePath) has version \(info.version), and the catalog names \(version)")
    }
}
