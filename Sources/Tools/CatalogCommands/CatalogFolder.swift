import Foundation
import VitrineCatalog
internal import VitrineCommandSupport
import VitrineFileSystem
import VitrineSupport

/// Visible files in a folder and its subfolders that may be catalogs. Links in the folder are not followed.
struct CatalogFolder {
    /// Paths of the files relative to the folder, in alphabetical order.
    private(set) var files: [String] = []
    /// Skipped subfolders, which cannot be read or have a name that is not UTF-8, each with the reason.
    private(set) var failures: [(path: String, reason: String)] = []
    /// Files and subfolders that were left out, relative to the folder, in alphabetical order; a subfolder with a slash
    /// at its end.
    private(set) var leftOut: [String] = []

    /// Indicates that a path refers to a folder, possibly through a link.
    static func isFolder(_ path: String) -> Bool {
        var isFolder: ObjCBool = false
        return FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) && isFolder.boolValue
    }

    /// Searches a folder.
    ///
    /// - Parameter leavesOut: Function that returns `true` for the path of a file, or of a subfolder, that is not to be
    ///   searched. The path of a subfolder has a slash at its end.
    init(_ folder: String, leavingOut leavesOut: (_ path: String) -> Bool = { _ in false }) {
        let root = URL(filePath: folder, directoryHint: .isDirectory).resolvingSymlinksInPath()
        // The elements are the paths of unread folders relative to the root, with a slash at the end.
        var left = [""]
        while let subfolder = left.popLast() {
            do throws(FileSystemError) {
                let names = try FolderTree<FileSystemError>.names(
                    in: root.appending(path: subfolder, directoryHint: .isDirectory))
                for name in names where !name.hasPrefix(".") {
                    var path = subfolder + name
                    let kind = try FolderTree<FileSystemError>.status(of: root.appending(path: path))?.kind
                    if kind == .folder { path += "/" }
                    guard kind == .folder || kind == .file && CatalogCandidate.mayBe(fileName: name) else { continue }
                    if leavesOut(path) {
                        leftOut.append(path)
                    } else if kind == .folder {
                        left.append(path)
                    } else {
                        files.append(path)
                    }
                }
            } catch {
                failures.append(("\(folder)/\(subfolder)", error.reason))
            }
        }
        files.sort()
        leftOut.sort()
    }

    /// Returns `true` for the name of a folder with dependencies or with results of builds, which are not the team's own
    /// catalogs, in any case.
    static func isOfBuilds(_ name: String) -> Bool {
        let name = name.lowercased()
        return builds.contains(name) || builtExtensions.contains { name.hasSuffix($0) }
    }

    private static let builds: Set<String> = [
        "bower_components", "build", "carthage", "deriveddata", "node_modules", "pods", "sourcepackages", "vendor",
        "venv",
    ]
    private static let builtExtensions = [".app", ".appex", ".dsym", ".framework", ".xcarchive", ".xcframework"]
}
