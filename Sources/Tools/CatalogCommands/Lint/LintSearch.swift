import VitrineCatalog
internal import VitrineCommandSupport

/// Search for the files that `vitrine lint` checks, at the paths that the user has given.
struct LintSearch {
    /// Folder without a catalog.
    struct EmptyFolder {
        let path: String
        let passedOver: [LintedFile]
        let leftOut: [String]
    }

    /// Files and folders that were left out; a folder has a slash at its end.
    private(set) var leftOut: [String] = []
    /// Folders, among the given paths, without a catalog.
    private(set) var emptyFolders: [EmptyFolder] = []
    private let paths: [String]
    /// `true` if a named file is checked even if it is no catalog or is excluded.
    private let namesAreCertain: Bool
    private var selection: LintSelection

    init(paths: [String], namesAreCertain: Bool, selection: LintSelection) {
        (self.paths, self.namesAreCertain, self.selection) = (paths, namesAreCertain, selection)
    }

    /// `true` if each given path is a folder without a catalog.
    var isWithoutCatalog: Bool { emptyFolders.count == paths.count && selection.settingsFiles.isEmpty }

    /// Reads and checks the files at all paths.
    mutating func files(_ checks: LintedFile.Checks) -> [LintedFile] {
        var unread: [LintedFile] = []
        let found = paths.map { path in
            (path: path, folder: path != "-" && CatalogFolder.isFolder(path) ? folder(path, &unread) : nil)
        }
        let candidates = found.map { path, folder -> [LintedFile.Candidate] in
            if let folder { return folder.files.map { .init(path: Self.prefix(of: path) + $0, isNamed: false) } }
            guard !namesAreCertain, path != "-", excludes(path) else {
                return [.init(path: path, isNamed: namesAreCertain)]
            }
            leftOut.append(path)
            return []
        }
        let progress = Progress("checking catalogs")
        defer { progress.end() }
        let count = candidates.reduce(0) { $0 + $1.count }
        var all: [LintedFile] = []
        for (place, candidates) in zip(found, candidates) {
            var files = candidates.map { candidate in
                progress.show(all.count, of: count)
                return LintedFile(candidate, checks: self.checks(checks, for: candidate.path))
            }
            files += (place.folder?.undecodable ?? []).map { name in
                LintedFile(passedOver: Self.prefix(of: place.path) + name, .undecodableName)
            }
            all += files
            guard let folder = place.folder else { continue }
            let leftOut = folder.leftOut.map { Self.prefix(of: place.path) + $0 }
            self.leftOut += leftOut
            guard folder.failures.isEmpty, files.allSatisfy({ $0.passedOver != nil }) else { continue }
            emptyFolders.append(EmptyFolder(path: place.path, passedOver: files, leftOut: leftOut))
        }
        return selection.settingsFiles + unread + all
    }

    /// Returns the checks of a file, with the settings that apply to it.
    mutating func checks(_ checks: LintedFile.Checks, for path: String) -> LintedFile.Checks {
        var checks = checks
        checks.settings = selection.settings(for: path)
        return checks
    }

    private mutating func folder(_ path: String, _ unread: inout [LintedFile]) -> CatalogFolder {
        let folder = CatalogFolder(path, selection: &selection)
        unread += folder.failures.map { LintedFile(unreadFolder: $0.path, reason: $0.reason) }
        return folder
    }

    /// Returns `true` if a named file is left out by a pattern.
    private mutating func excludes(_ path: String) -> Bool {
        selection.excludes(path, isFolder: false, in: Workspace.folder(of: Workspace.absolute(path)))
    }

    private static func prefix(of folder: String) -> String { folder.hasSuffix("/") ? folder : folder + "/" }
}
