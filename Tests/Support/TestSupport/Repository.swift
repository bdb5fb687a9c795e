package import Foundation

/// Files of the repository that the tests read.
package enum Repository {
    private static let root = URL(filePath: #filePath, directoryHint: .notDirectory)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    /// Returns the URL of a file of the project.
    package static func file(_ path: String) -> URL { root.appending(path: path) }

    /// Returns the URL of a sample catalog or store file.
    package static func sample(_ name: String) -> URL { file("Catalogs/\(name)") }

    /// Folder with the sample packages of hosted content.
    package static let samplePackages = file("HostedContent")

    /// Returns a folder of the corpus of real files, which only developers have next to the repository.
    ///
    /// - Returns: `nil` if the folder does not exist.
    package static func corpus(_ name: String) -> URL? { shared("corpus/\(name)") }

    /// Page with the public symbols of other libraries, which only developers have next to the repository.
    package static let symbols = shared("symbols.md")

    private static func shared(_ path: String) -> URL? {
        let url = root.deletingLastPathComponent().appending(path: "shared/\(path)")
        return FileManager.default.fileExists(atPath: url.path(percentEncoded: false)) ? url : nil
    }

    /// Returns the files of a corpus folder and of its subfolders, in a fixed order.
    package static func corpusFiles(below name: String) throws -> [URL] {
        guard let folder = corpus(name),
            let paths = FileManager.default.enumerator(atPath: folder.path(percentEncoded: false))
        else { return [] }
        return paths.compactMap { $0 as? String }.sorted().map { folder.appending(path: $0) }
            .filter { FileManager.default.fileType(of: $0) == .typeRegular }
    }

    /// Returns the files of a corpus folder, in a fixed order.
    package static func corpusFiles(_ name: String) throws -> [URL] {
        guard let folder = corpus(name) else { return [] }
        return try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
            .sorted { $0.lastPathComponent < $1.lastPathComponent }
    }
}

extension FileManager {
    fileprivate func fileType(of url: URL) -> FileAttributeType? {
        try? attributesOfItem(atPath: url.path(percentEncoded: false))[.type] as? FileAttributeType
    }
}
