import Foundation
import VitrineCatalog
internal import VitrineCommandSupport
import VitrineFileSystem

/// Settings of `vitrine lint` by file, and the files and folders that they leave out.
struct LintSelection {
    /// Settings from a file, with the folder that their patterns are relative to.
    private struct Source {
        let settings: LintSettings
        let folder: String
        let excluded: [PathPattern]

        init(_ settings: LintSettings = LintSettings(), folder: String) {
            self.settings = settings
            self.folder = folder
            excluded = settings.excluded.compactMap(PathPattern.init)
        }

        /// Returns `true` if a pattern matches the absolute path of a file or folder.
        func excludes(_ path: String, isFolder: Bool) -> Bool {
            guard !excluded.isEmpty, let path = Workspace.path(path, in: folder) else { return false }
            return excluded.contains { $0.matches(path, isFolder: isFolder) }
        }
    }

    /// Name of the file with settings.
    static let fileName = ".vitrine-lint.plist"

    /// Files with settings that were read, with what is wrong with them.
    private(set) var settingsFiles: [LintedFile] = []
    /// Settings that the user has named, which apply to all files; `nil` for those beside the files.
    private var named: Source?
    /// Patterns that the user has given, relative to the current folder.
    private let excluded: [PathPattern]
    private let currentFolder = Workspace.absolute(FileManager.default.currentDirectoryPath)
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
                    reason: "--exclude \(text.quoted) is not the pattern of a path below the current folder")
            }
            patterns.append(pattern)
        }
        self.excluded = patterns
        if let settings { named = read(settings) }
    }

    /// Returns the settings that apply to a file: the named ones, or the nearest ones from the file's folder upward.
    mutating func settings(for path: String) -> LintSettings {
        source(for: folder(of: path))?.settings ?? LintSettings()
    }

    /// Returns `true` if a file or folder is left out by a pattern.
    mutating func excludes(_ path: String, isFolder: Bool) -> Bool {
        let path = Workspace.absolute(path)
        if let below = Workspace.path(path, in: currentFolder),
            excluded.contains(where: { $0.matches(below, isFolder: isFolder) })
        {
            return true
        }
        return source(for: Workspace.folder(of: path))?.excludes(path, isFolder: isFolder) == true
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
