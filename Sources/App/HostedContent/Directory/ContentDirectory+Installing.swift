internal import Crypto
internal import Foundation
public import VitrineCatalog
internal import VitrineFileSystem
public import VitrineSupport

extension ContentDirectory {
    /// Installs a package at a path, replacing the content there, and makes the installed content durable. A package
    /// whose version is installed already, with all its files, is not installed again.
    ///
    /// - Throws: ``ContentError``: `invalidPlace` if a link or a file is in the way, `invalidPackage` if the package
    ///   changes while it is copied, `noSpace`, `storage`, or `cancelled`. In each case the path holds either the
    ///   content from before or the whole package.
    @concurrent
    public func install(_ package: ContentPackage, at path: ContentPath) async throws(ContentError) -> InstalledContent
    {
        if let present = try present(package, at: path) {
            try makeDurable(path)
            return present
        }
        let digests = try package.digests()
        let record = try ContentRecord(package, digests: digests)
        return try stage(at: path) { (staging) throws(ContentError) in
            try copy(package, digests: digests, record: record, into: staging)
        } unless: { () throws(ContentError) in
            try present(package, at: path)
        }
    }

    /// Installs fetched content at a path, replacing the content there, and makes the installed content durable.
    ///
    /// An archive is unpacked into a staging folder. The old content at the path stays until the new content is
    /// complete on the disk and has been checked once more; then the new content takes its place and the old content is
    /// removed. The product's download folder, if the fetched content lies in it, is removed in the same moment. A
    /// package that is installed already, byte for byte, is not installed again.
    ///
    /// - Parameters:
    ///   - fetched: Fetched content.
    ///   - request: Request with the product and the version that the content must have; its digest is stored beside
    ///     the content.
    ///   - path: Path at which the content is installed.
    /// - Throws: ``ContentError``: `wrongContent` for another product or version, or content that differs from its
    ///   manifest; `invalidPackage` for an invalid package; `invalidPlace` if a link or a file is in the way;
    ///   `noSpace`, `storage` or `cancelled`. In each case the path holds either the content from before or all of the
    ///   new content.
    @concurrent
    public func install(
        _ fetched: FetchedContent, request: ContentRequest, at path: ContentPath
    ) async throws(ContentError) -> InstalledContent {
        switch fetched {
        case .package(let package):
            try request.check(package.info.productIdentifier, package.info.version)
            let digests = try package.digests()
            let record = try ContentRecord(package, digests: digests)
            if let present = try whole(package.info, record: record, digest: request.digest, at: path) {
                try makeDurable(path)
                return present
            }
            return try stage(at: path, emptying: download(of: request, with: package.url)) {
                (staging) throws(ContentError) in
                try copy(package, digests: digests, record: record, digest: request.digest, into: staging)
            }
        case .archive(let archive, let manifest):
            if let manifest { try request.check(manifest.productIdentifier, manifest.version) }
            return try stage(at: path, emptying: download(of: request, with: archive)) {
                (staging) throws(ContentError) in
                try unpack(archive, manifest: manifest, for: request, into: staging)
            }
        }
    }

    /// Assembles new content in a staging folder, and replaces the content at a path by it.
    ///
    /// - Parameters:
    ///   - download: Download folder, which is removed when the new content is installed; `nil` if there is none.
    ///   - fill: Writes the new content into the staging folder, makes it durable, and returns the folder with it.
    ///   - present: Returns the content at the path if another process has meanwhile installed the same content there;
    ///     otherwise `nil`.
    private func stage(
        at path: ContentPath, emptying download: URL? = nil,
        _ fill: (StagingFolder) throws(ContentError) -> URL,
        unless present: () throws(ContentError) -> InstalledContent? = { () throws(ContentError) in nil }
    ) throws(ContentError) -> InstalledContent {
        // A path that cannot be used is refused before anything is written.
        _ = try place(of: path)
        try prepare()
        let staging = try StagingFolder(in: url, for: path)
        do throws(ContentError) {
            let content = try fill(staging)
            let place = try FolderLock.locking(url) { () throws(ContentError) in
                let place = try makeWay(to: path, aside: staging)
                if try present() == nil {
                    try exchange(content, with: place, emptying: download, aside: staging)
                    try excludeFromBackups()
                }
                return place
            }
            try makeDurable(path)
            try staging.remove()
            guard let installed = try InstalledContent(folder: place) else {
                throw .storage("\(place.relativePath) is missing after the installation of the content")
            }
            return installed
        } catch {
            // Content that cannot be put back or removed now is put back or removed at the next launch.
            do throws(ContentError) {
                try FolderLock.locking(url) { () throws(ContentError) in try putBack(from: staging.url) }
                try staging.remove()
            } catch {}
            throw error
        }
    }

    // MARK: Filling

    /// Copies a package into a staging folder and makes the copy durable. Checks that each copy has the digest that the
    /// original file had before copying.
    private func copy(
        _ package: ContentPackage, digests: [[String]: SHA256.Digest], record: ContentRecord, digest: String? = nil,
        into staging: StagingFolder
    ) throws(ContentError) -> URL {
        try requireSpace(for: record)
        let content = staging.url.appending(component: "content")
        try FolderTree.makeFolder(content)
        for folder in package.contents.folders { try FolderTree.makeFolder(FolderWalk.url(folder, in: content)) }
        for file in package.contents.files {
            let source = FolderWalk.url(file, in: package.contentsFolder)
            let isExecutable = try FolderTree.status(of: source)?.isExecutable ?? false
            var hash = SHA256()
            let copy = try NewFile(FolderWalk.url(file, in: content), permissions: isExecutable ? 0o755 : 0o644)
            try FileBlocks.read(source) { (block) throws(ContentError) in
                hash.update(data: block)
                try copy.write(block)
            }
            try copy.finish()
            guard hash.finalize() == digests[file] else {
                throw .invalidPackage("\(source.relativePath) changed while it was copied")
            }
        }
        for folder in package.contents.folders { try FolderTree.sync(FolderWalk.url(folder, in: content)) }
        try complete(content, package.info, record: record, digest: digest)
        return content
    }

    private func unpack(
        _ archive: URL, manifest: ContentManifest?, for request: ContentRequest, into staging: StagingFolder
    ) throws(ContentError) -> URL {
        let folder = staging.url.appending(component: "content")
        try FolderTree.makeFolder(folder)
        if let manifest { try requireSpace(for: ContentRecord(manifest)) }
        let package = try ContentUnpacker.unpack(archive, manifest: manifest, into: folder)
        try request.check(package.info.productIdentifier, package.info.version)
        let record: ContentRecord
        if let manifest {
            record = ContentRecord(manifest)
        } else {
            record = try ContentRecord(package, digests: package.digests())
        }
        try complete(package.contentsFolder, package.info, record: record, digest: request.digest)
        return package.contentsFolder
    }

    /// Stores `ContentInfo.plist`, the list of files and the digest beside new content, makes its folder durable, and
    /// reads these files once more: new content must be complete and readable before it replaces old content.
    private func complete(
        _ content: URL, _ info: ContentInfo, record: ContentRecord, digest: String?
    ) throws(ContentError) {
        var files = [
            (InstalledContent.recordName, Data(info.bytes)), (InstalledContent.manifestName, try record.bytes()),
        ]
        if let digest { files.append((InstalledContent.digestName, Data(digest.utf8))) }
        for (name, bytes) in files {
            try FileBlocks.write(content.appending(component: name)) { (write) throws(ContentError) in
                try write(bytes)
            }
        }
        try FolderTree.sync(content)
        let installed = try InstalledContent(folder: content)
        guard installed?.productIdentifier == info.productIdentifier, installed?.version == info.version,
            installed?.digest == digest,
            try ContentRecord(file: content.appending(component: InstalledContent.manifestName)) == record,
            try hasAllFiles(content, of: record)
        else {
            throw .storage("the files that were written for \(info.productIdentifier) cannot be read again")
        }
    }

    /// Checks that the volume has enough free space for the content.
    ///
    /// - Throws: ``ContentError`` `noSpace` if there is too little space for the content.
    private func requireSpace(for record: ContentRecord) throws(ContentError) {
        let length = record.files.reduce(0) { $0.addingReportingOverflow($1.length).partialValue }
        guard let free = FolderTree.freeSpace(at: url), free < length else { return }
        throw ContentError(
            code: .noSpace, reason: "the content needs \(length) bytes of storage, but only \(free) are free")
    }

    // MARK: Looking

    /// Returns the installed content if it has the package's product and version and all its files; otherwise `nil`.
    private func present(_ package: ContentPackage, at path: ContentPath) throws(ContentError) -> InstalledContent? {
        guard let installed = try installedContent(at: path),
            installed.productIdentifier == package.info.productIdentifier, installed.version == package.info.version
        else { return nil }
        for file in package.contents.files {
            let length = try FolderTree.status(of: FolderWalk.url(file, in: package.contentsFolder))?.length
            let status = try FolderTree.status(of: FolderWalk.url(file, in: installed.url))
            guard status?.kind == .file, status?.length == length else { return nil }
        }
        return installed
    }

    /// Returns the installed content if it was installed from the archive or manifest with the given digest and all its
    /// bytes are unchanged; otherwise `nil`.
    private func whole(
        _ info: ContentInfo, record: ContentRecord, digest: String?, at path: ContentPath
    ) throws(ContentError) -> InstalledContent? {
        guard let installed = try installedContent(at: path), installed.digest == digest,
            installed.productIdentifier == info.productIdentifier, installed.version == info.version,
            try ContentRecord(file: installed.url.appending(component: InstalledContent.manifestName)) == record,
            try ContentCheck(installed).isWhole
        else { return nil }
        return installed
    }

    private func hasAllFiles(_ content: URL, of record: ContentRecord) throws(ContentError) -> Bool {
        for file in record.files {
            guard let names = ContentRecord.installedPath(of: file.path),
                let status = try FolderTree.status(of: FolderWalk.url(names, in: content)), status.kind == .file,
                status.length == file.length
            else { return false }
        }
        return true
    }
}

extension ContentRequest {
    /// Checks that received content belongs to the requested product and version.
    ///
    /// - Throws: ``ContentError`` `wrongContent` for the content of another product, or of another version.
    fileprivate func check(_ product: String, _ version: String) throws(ContentError) {
        guard product == productIdentifier else {
            throw .wrongContent("the received content is for \(product), not for \(productIdentifier)")
        }
        if let wanted = self.version, wanted != version {
            throw .wrongContent(
                "the received content of \(product) is version \(version), but version \(wanted) was requested")
        }
    }
}
