import Foundation
import VitrineCatalog
internal import VitrineCommandSupport
import VitrineFileSystem
import VitrineSupport

/// Visible files in a folder and its subfolders that may be catalogs. Links in the folder are not followed.
struct CatalogFolder {
    /// Paths of the files relative to the folder, in alphabetical order.
    private(set) var files: [String] = []
    /// Skipped subfolders, which cannot be read, each with the reason.
    private(set) var failures: [(path: String, reason: String)] = []
    /// Files and subfolders that were left out, relative to the folder, in alphabetical order; a subfolder with a slash
    /// at its end.
    private(set) var leftOut: [String] = []
    /// Files and subfolders that cannot be opened because their names are not UTF-8, relative to the folder, with
    /// escaped bytes.
    private(set) var undecodable: [String] = []

    /// Indicates that a path refers to a folder, possibly through a link.
    static func isFolder(_ path: String) -> Bool {
        var isFolder: ObjCBool = false
        return FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) && isFolder.boolValue
    }

    /// Searches a folder, except for folders of dependencies and builds and what is excluded.
    ///
    /// - Parameters:
    ///   - selection: Patterns of files and folders that are excluded, and settings that have more of them.
    ///   - place: Folder in whose place the folder is searched: its settings apply, and its paths are compared with
    ///     patterns. `nil` for the folder itself.
    init(_ folder: String, selection: inout LintSelection, inPlaceOf place: String? = nil) {
        let root = URL(filePath: folder, directoryHint: .isDirectory).resolvingSymlinksInPath()
        let place = Workspace.absoluteFolder(place ?? folder)
        // The elements are the paths of unread folders relative to the root, with a slash at the end.
        var left = [""]
        while let subfolder = left.popLast() {
            do throws(FileSystemError) {
                let (names, undecodable) = try FolderTree<FileSystemError>.namesOfAll(
                    in: root.appending(path: subfolder, directoryHint: .isDirectory))
                self.undecodable += undecodable.filter(Self.isVisible).map { subfolder + $0 }
                for name in names where Self.isVisible(name) {
                    var path = subfolder + name
                    let kind = try FolderTree<FileSystemError>.status(of: root.appending(path: path))?.kind
                    let isFolder = kind == .folder
                    if isFolder { path += "/" }
                    guard isFolder || kind == .file && CatalogCandidate.mayBe(fileName: name) else { continue }
                    if isFolder && Self.isOfBuilds(name)
                        || selection.excludes(Workspace.joined(place, path), isFolder: isFolder, in: place)
                    {
                        leftOut.append(path)
                    } else if isFolder {
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
        undecodable.sort()
    }

    private static func isVisible(_ name: String) -> Bool { !name.hasPrefix(".") }

    /// Returns `true` for the name of a folder with dependencies or with results of builds, which are not the team's own
    /// catalogs, in any case.
    private static func isOfBuilds(_ name: String) -> Bool {
        let name = name.lowercased()
        return builds.contains(name) || builtExtensions.contains { name.hasSuffix($0) }
    }

    private static let builds: Set<String> = [
        "bower_components", "build", "carthage", "deriveddata", "node_modules", "pods", "sourcepackages", "vendor",
        "venv",
    ]
    private static let builtExtensions = [".app", ".appex", ".dsym", ".framework", ".xcarchive", ".xcframework"]
}
