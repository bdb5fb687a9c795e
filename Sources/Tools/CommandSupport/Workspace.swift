import Foundation

/// Paths as code review services expect them: relative to the workspace of a job or to the repository, from wherever the
/// tool is started.
package struct Workspace {
    /// Workspaces that the environment names, without links.
    private let named: [String]
    private let currentFolder: String
    /// Repositories by the folders in them; `nil` for a folder in none.
    private var repositories: [String: String?] = [:]

    /// Variables with the workspace of a job, as GitHub and GitLab set them.
    private static let variables = ["GITHUB_WORKSPACE", "CI_PROJECT_DIR"]

    package init(environment: [String: String] = ProcessInfo.processInfo.environment) {
        currentFolder = Self.unlinked(FileManager.default.currentDirectoryPath)
        named = Self.variables.compactMap { environment[$0] }.filter { $0.hasPrefix("/") }.map(Self.unlinked)
    }

    /// Returns the absolute path of a file, without links to folders; `-` for standard input. Different paths of a file
    /// are equal then.
    package static func absolute(_ path: String) -> String {
        guard path != "-" else { return path }
        let url = URL(filePath: path).standardizedFileURL
        return joined(unlinked(trimmed(url.deletingLastPathComponent())), url.lastPathComponent)
    }

    /// Returns the absolute path of a folder, without links.
    package static func absoluteFolder(_ path: String) -> String { unlinked(absolute(path)) }

    /// Returns the path of a file relative to the workspace that the environment names, or otherwise to the repository
    /// that contains the file; `nil` for a file in neither.
    package mutating func path(of file: String) -> String? {
        let path = Self.absolute(file)
        return root(of: path).flatMap { Self.path(path, in: $0) }
    }

    /// Returns the path of a file for a report: relative to its workspace, otherwise to the current folder; `nil` for a
    /// file elsewhere.
    package mutating func reportedPath(of file: String) -> String? {
        path(of: file) ?? Self.path(Self.absolute(file), in: currentFolder)
    }

    /// Returns the workspace or repository of a file, given by its absolute path.
    package mutating func root(of path: String) -> String? {
        guard path.hasPrefix("/") else { return nil }
        return named.first { Self.path(path, in: $0) != nil } ?? repository(of: Self.folder(of: path))
    }

    /// Returns the folder of a repository that contains a folder: the nearest one with `.git`, which is a file in a work
    /// tree.
    private mutating func repository(of folder: String) -> String? {
        if let known = repositories[folder] { return known }
        let parent = Self.folder(of: folder)
        let isRepository = FileManager.default.fileExists(atPath: Self.joined(folder, ".git"))
        let found = isRepository ? folder : parent == folder ? nil : repository(of: parent)
        repositories[folder] = .some(found)
        return found
    }

    /// Returns the folder of a file; the root for the root.
    package static func folder(of path: String) -> String { (path as NSString).deletingLastPathComponent }

    package static func joined(_ folder: String, _ name: String) -> String {
        folder.hasSuffix("/") ? folder + name : "\(folder)/\(name)"
    }

    /// Returns a path relative to a folder that contains it; `nil` if the folder does not.
    package static func path(_ path: String, in folder: String) -> String? {
        let prefix = joined(folder, "")
        return path.hasPrefix(prefix) && path != prefix ? String(path.dropFirst(prefix.count)) : nil
    }

    private static func unlinked(_ folder: String) -> String {
        trimmed(URL(filePath: folder, directoryHint: .isDirectory).resolvingSymlinksInPath())
    }

    /// Returns the path of a folder without the slash at its end.
    private static func trimmed(_ folder: URL) -> String {
        let path = folder.path(percentEncoded: false)
        return path.count > 1 && path.hasSuffix("/") ? String(path.dropLast()) : path
    }
}
