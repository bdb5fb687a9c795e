import Foundation
import PackagePlugin

/// Plugin that checks the catalogs of a target each time it is built. Findings are warnings and errors of the build, with file
/// and line; an error ends it.
@main
struct LintCatalogs: BuildToolPlugin {
    func createBuildCommands(context: PluginContext, target: any Target) throws -> [Command] {
        guard let target = target as? any SourceModuleTarget else { return [] }
        return [
            Self.command(
                for: target.sourceFiles.map(\.url), of: target.name,
                tool: try context.tool(named: "VitrineCatalogTool").url, folder: context.pluginWorkDirectoryURL)
        ].compactMap(\.self)
    }

    /// Returns the command that checks the property lists and JSON files of a target; `nil` if it has none. Those that are
    /// not catalogs, such as `Info.plist`, are passed over.
    ///
    /// - Parameters:
    ///   - files: Files of the target, and folders that it copies.
    ///   - folder: Folder in which the command leaves an empty source file once it has found no error, so that it
    ///     runs again only for a changed file.
    fileprivate static func command(for files: [URL], of name: String, tool: URL, folder: URL) -> Command? {
        let files = files.flatMap(Self.content).filter { ["plist", "json"].contains($0.pathExtension.lowercased()) }
        guard !files.isEmpty else { return nil }
        let stamp = folder.appending(path: "CheckedCatalogs.swift", directoryHint: .notDirectory)
        return .buildCommand(
            displayName: "Checking the catalogs of \(name)", executable: tool,
            arguments: ["lint", "--format", "xcode", "--only-catalogs", "--stamp", stamp.path(percentEncoded: false)]
                + files.map { $0.path(percentEncoded: false) },
            inputFiles: files + settings(for: files), outputFiles: [stamp])
    }

    /// Returns the settings of `vitrine lint` that apply to files: for each the nearest ones from its folder upward, up to its
    /// repository. The command runs again if they change, and if there are others.
    private static func settings(for files: [URL]) -> [URL] {
        func exists(_ name: String, in folder: URL) -> Bool {
            FileManager.default.fileExists(atPath: folder.appending(path: name).path(percentEncoded: false))
        }
        let name = ".vitrine-lint.plist"
        let found = Set(files.map { $0.deletingLastPathComponent().standardizedFileURL }).compactMap { folder -> URL? in
            // The path of a folder has at most as many folders above it as components.
            var folder = folder
            for _ in folder.pathComponents {
                if exists(name, in: folder) { return folder.appending(path: name, directoryHint: .notDirectory) }
                if exists(".git", in: folder) { return nil }
                folder.deleteLastPathComponent()
            }
            return nil
        }
        return Set(found).sorted { $0.path(percentEncoded: false) < $1.path(percentEncoded: false) }
    }

    /// Returns the files in a folder that a target copies as a whole, or the file itself.
    private static func content(of url: URL) -> [URL] {
        guard (try? url.resourceValues(forKeys: [.isDirectoryKey]).isDirectory) == true else { return [url] }
        let names = FileManager.default.enumerator(atPath: url.path(percentEncoded: false))?.compactMap {
            $0 as? String
        }
        return (names ?? []).sorted().map { url.appending(path: $0, directoryHint: .notDirectory) }
    }
}

#if canImport(XcodeProjectPlugin)
    import XcodeProjectPlugin

    // Targets of Xcode projects. This part has not been compiled or run by us.
    extension LintCatalogs: XcodeBuildToolPlugin {
        func createBuildCommands(context: XcodePluginContext, target: XcodeTarget) throws -> [Command] {
            [
                Self.command(
                    for: target.inputFiles.map(\.url), of: target.displayName,
                    tool: try context.tool(named: "VitrineCatalogTool").url, folder: context.pluginWorkDirectoryURL)
            ].compactMap(\.self)
        }
    }
#endif
