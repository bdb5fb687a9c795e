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
    /// - Throws: ``ToolFailure`` 74 if the folder or a subfolder cannot be read, or has a name that is not UTF-8.
    static func propertyLists(in folder: String) throws(ToolFailure) -> [String] {
        let root = URL(filePath: folder, directoryHint: .isDirectory).resolvingSymlinksInPath()
        var found: [String] = []
        // Folders that are still to be read, by their paths relative to the root, with a slash at the end.
        var left = [""]
        while let subfolder = left.popLast() {
            do throws(FileSystemError) {
                let names = try FolderTree<FileSystemError>.names(
                    in: root.appending(path: subfolder, directoryHint: .isDirectory))
                for name in names where !name.hasPrefix(".") {
                    let path = subfolder + name
                    switch try FolderTree<FileSystemError>.status(of: root.appending(path: path))?.kind {
                    case .folder: left.append(path + "/")
                    case .file: if name.lowercased().hasSuffix(".plist") { found.append(path) }
                    case .link, .other, nil: break
                    }
                }
            } catch {
                throw ToolFailure(
                    status: .inputOutput, reason: "\(folder)/\(subfolder) cannot be read: \(error.reason)")
            }
        }
        return found.sorted()
    }
}
