import FileSystem
import Foundation

/// Property lists in a folder.
enum CatalogFolder {
    /// Returns `true` if a path leads to a folder, which may be through a link.
    static func isFolder(_ path: String) -> Bool {
        var isFolder: ObjCBool = false
        return FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) && isFolder.boolValue
    }

    /// Returns the paths, relative to a folder, of the property lists in it and its subfolders, except hidden ones, in
    /// alphabetical order. Links in the folder are not followed.
    ///
    /// - Throws: ``ToolFailure`` 74 if the folder cannot be read.
    static func propertyLists(in folder: String) throws(ToolFailure) -> [String] {
        let resolved = URL(filePath: folder).resolvingSymlinksInPath().path(percentEncoded: false)
        guard let names = FileManager.default.enumerator(atPath: resolved) else {
            throw ToolFailure(status: .inputOutput, reason: "\(folder) cannot be read")
        }
        return names.compactMap { $0 as? String }
            .filter { name in
                name.lowercased().hasSuffix(".plist") && !name.split(separator: "/").contains { $0.hasPrefix(".") }
            }
            .sorted()
            .filter {
                FileStatus(URL(filePath: resolved + "/" + $0, directoryHint: .notDirectory))?.isRegularFile == true
            }
    }
}
