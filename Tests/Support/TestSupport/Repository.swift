package import Foundation

/// Files that the tests read where they lie.
package enum Repository {
    private static let root = URL(filePath: #filePath, directoryHint: .notDirectory)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    /// A file of the project.
    package static func file(_ path: String) -> URL { root.appending(path: path) }

    /// A sample catalog or store file.
    package static func sample(_ name: String) -> URL { file("Catalogs/\(name)") }

    /// The folder with the sample packages of hosted content.
    package static let samplePackages = file("HostedContent")

    /// A folder of real files from the wild that lies beside the project for its developers.
    ///
    /// - Returns: `nil` where there is none, which is so for everybody else.
    package static func corpus(_ name: String) -> URL? { shared("corpus/\(name)") }

    /// The page with the public symbols of other libraries, which lies beside the project for its developers.
    package static let symbols = shared("symbols.md")

    private static func shared(_ path: String) -> URL? {
        let url = root.deletingLastPathComponent().appending(path: "shared/\(path)")
        return FileManager.default.fileExists(atPath: url.path(percentEncoded: false)) ? url : nil
    }

    /// The files of a folder of the corpus and those in its folders, in a fixed order.
    package static func corpusFiles(below name: String) throws -> [URL] {
        guard let folder = corpus(name),
            let paths = FileManager.default.enumerator(atPath: folder.path(percentEncoded: false))
        else { return [] }
        return paths.compactMap { $0 as? String }.sorted().map { folder.appending(path: $0) }
            .filter { FileManager.default.fileType(of: $0) == .typeRegular }
    }

    /// The files of a folder of the corpus, in a fixed order.
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
