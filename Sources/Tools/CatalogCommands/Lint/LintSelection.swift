import Foundation
import VitrineCatalog
internal import VitrineCommandSupport
import VitrineFileSystem

/// Settings of `vitrine lint` by file, and the files and folders that they leave out.
struct LintSelection {
    /// Patterns of files and folders to leave out.
    private struct Exclusions {
        let patterns: [PathPattern]
        /// Folder that the patterns are relative to.
        let folder: String

        /// Returns `true` if a pattern matches the absolute path of a file or folder.
        ///
        /// - Parameter root: Folder in which the path was found. A path outside the folder of the patterns is compared
        ///   relative to it.
        func matches(_ path: String, isFolder: Bool, in root: String) -> Bool {
            guard !patterns.isEmpty, let relative = Workspace.path(path, in: folder) ?? Workspace.path(path, in: root)
            else { return false }
            return patterns.contains { pattern in
                if pattern.matches(relative, isFolder: isFolder) { return true }
                // A pattern may be absolute too, but does not leave out a folder that is searched as a whole: `/tmp` means
                // the folder tmp in it.
                return pattern.isRooted && pattern.matches(path, isFolder: isFolder)
                    && !pattern.matches(root, isFolder: true)
            }
        }
    }

    /// Settings from a file, with their patterns.
    private struct Source {
        let settings: LintSettings
        let exclusions: Exclusions

        init(_ settings: LintSettings, folder: String) {
            self.settings = settings
            exclusions = Exclusions(patterns: settings.excluded, folder: folder)
        }
    }

    /// Name of the file with settings.
    static let fileName = ".vitrine-lint.plist"

    /// Files with settings that were read, with what is wrong with them.
    private(set) var settingsFiles: [LintedFile] = []
    /// Settings that the user has named, which apply to all files; `nil` for those beside the files.
    private var named: Source?
    /// Patterns that the user has given, relative to the current folder.
    private let given: Exclusions
    private let currentFolder: String
    /// Settings by folder; `nil` for a folder without settings in it or above it.
    private var sources: [String: Source?] = [:]

    /// - Parameters:
    ///   - settings: Path of the settings; `nil` for those beside the files.
    ///   - excluded: Patterns of files and folders to leave out, relative to the current folder.
    /// - Throws: ``ToolFailure`` 64 for a pattern that cannot match anything.
    init(settings: String?, excluded: [String]) throws(ToolFailure) {
        var patterns: [PathPattern] = []
        for text in excluded {
            guard let pattern = PathPattern(text) else {
                throw ToolFailure(
                    status: .usage,
                    reason: "--exclude \(text.quoted) matches no path: \(PathPattern.requirement)")
            }
            patterns.append(pattern)
        }
        currentFolder = Workspace.absoluteFolder(FileManager.default.currentDirectoryPath)
        given = Exclusions(patterns: patterns, folder: currentFolder)
        if let settings { named = read(settings) }
    }

    /// Returns the settings that apply to a file: the named ones, or the nearest ones from the file's folder upward.
    mutating func settings(for path: String) -> LintSettings {
        source(for: folder(of: path))?.settings ?? LintSettings()
    }

    /// Returns `true` if a file or folder is left out by a pattern.
    ///
    /// - Parameter root: Absolute path of the folder in which it was found.
    mutating func excludes(_ path: String, isFolder: Bool, in root: String) -> Bool {
        let path = Workspace.absolute(path)
        return given.matches(path, isFolder: isFolder, in: root)
            || source(for: Workspace.folder(of: path))?.exclusions.matches(path, isFolder: isFolder, in: root) == true
    }

    private func folder(of path: String) -> String {
        path == "-" ? currentFolder : Workspace.folder(of: Workspace.absolute(path))
    }

    private mutating func source(for folder: String) -> Source? {
        if let named { return named }
        if let known = sources[folder] { return known }
        let path = Workspace.joined(folder, Self.fileName)
        let parent = Workspace.folder(of: folder)
        let found: Source? =
            if FileManager.default.fileExists(atPath: path) {
                read(path)
            } else if parent == folder || Self.isRepository(folder) {
                nil
            } else {
                source(for: parent)
            }
        sources[folder] = .some(found)
        return found
    }

    /// Indicates that settings above a folder do not apply in it: they do not belong to its repository.
    private static func isRepository(_ folder: String) -> Bool {
        FileManager.default.fileExists(atPath: Workspace.joined(folder, ".git"))
    }

    /// Reads settings, and keeps the file for the report if something is wrong with them.
    private mutating func read(_ path: String) -> Source {
        let absolute = Workspace.absolute(path)
        let shown = Workspace.path(absolute, in: currentFolder) ?? absolute
        let (file, settings) = LintedFile.settings(at: shown)
        if !file.findings.isEmpty || file.failure != nil { settingsFiles.append(file) }
        return Source(settings, folder: Workspace.folder(of: absolute))
    }
}
