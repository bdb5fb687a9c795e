package import Foundation
internal import VitrineFileSystem

extension ContentPackage {
    /// Makes a package of a folder with files, completely or not at all.
    ///
    /// - Parameters:
    ///   - contents: Folder with the files that become `Contents`. It is not changed.
    ///   - product: Identifier of the product that the content belongs to.
    ///   - version: Version of the content.
    ///   - folder: A missing or empty folder in an existing one, and not in `contents`.
    /// - Throws: ``ContentError``: `invalidPackage` for content that an app would refuse, `invalidPlace` if the folder is
    ///   not empty or in `contents`, `storage` if it cannot be written.
    package static func make(
        of contents: URL, for product: String, version: String, at folder: URL
    ) throws(ContentError) -> ContentPackage {
        let source = try ContentPackage(unpackaged: contents, of: product, version: version)
        let (inner, outer) = (folder.resolvedComponents, contents.resolvedComponents)
        guard !inner.starts(with: outer) else {
            throw .invalidPlace("\(folder.relativePath) is in \(contents.relativePath), which it would contain")
        }
        return try create(at: folder) { (temporary) throws(ContentError) in
            try source.write(to: temporary)
            _ = try ContentPackage(folder: temporary)
        }
    }

    /// Number of files in `Contents`.
    package var fileCount: Int { contents.files.count }

    private func write(to folder: URL) throws(ContentError) {
        let target = folder.appending(component: "Contents")
        try FolderTree.makeFolder(target)
        for path in contents.folders { try FolderTree.makeFolder(FolderWalk.url(path, in: target)) }
        do {
            for path in contents.files {
                try FileManager.default.copyItem(
                    at: FolderWalk.url(path, in: contentsFolder), to: FolderWalk.url(path, in: target))
            }
            try Data(info.bytes).write(to: folder.appending(component: ContentInfo.fileName))
        } catch {
            throw .storage("\(folder.relativePath) cannot be written: \(BoundedFile.reason(for: error))")
        }
    }
}

extension URL {
    /// Components of the absolute path without links. The last one need not exist.
    fileprivate var resolvedComponents: [String] {
        deletingLastPathComponent().resolvingSymlinksInPath().absoluteURL.pathComponents + [lastPathComponent]
    }
}
