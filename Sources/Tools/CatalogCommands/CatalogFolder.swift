import Foundation
internal import VitrineCommandSupport
import VitrineFileSystem
import VitrineSupport

/// Visible property lists in a folder and its subfolders. Links in the folder are not followed.
struct CatalogFolder {
    /// Paths of the property lists relative to the folder, in alphabetical order.
    private(set) var propertyLists: [String] = []
    /// Skipped subfolders, which cannot be read or have a name that is not UTF-8, each with the reason.
    private(set) var failures: [(path: String, reason: String)] = []

    /// Indicates that a path refers to a folder, possibly through a link.
    static func isFolder(_ path: String) -> Bool {
        var isFolder: ObjCBool = false
        return FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) && isFolder.boolValue
    }

    init(_ folder: String) {
        let root = URL(filePath: folder, directoryHint: .isDirectory).resolvingSymlinksInPath()
        // The elements are the paths of unread folders relative to the root, with a slash at the end.
        var left = [""]
        while let subfolder = left.popLast() {
            do throws(FileSystemError) {
                let names = try FolderTree<FileSystemError>.names(
                    in: root.appending(path: subfolder, directoryHint: .isDirectory))
                for name in names where !name.hasPrefix(".") {
                    let path = subfolder + name
                    switch try FolderTree<FileSystemError>.status(of: root.appending(path: path))?.kind {
                    case .folder: left.append(path + "/")
                    case .file: if name.lowercased().hasSuffix(".plist") { propertyLists.append(path) }
                    case .link, .other, nil: break
                    }
                }
            } catch {
                failures.append(("\(folder)/\(subfolder)", error.reason))
            }
        }
        propertyLists.sort()
    }
}
