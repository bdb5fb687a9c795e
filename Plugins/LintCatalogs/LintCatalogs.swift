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
                for: target.sourceFiles(withSuffix: "plist").map(\.url), of: target.name,
                tool: try context.tool(named: "CatalogTool").url, folder: context.pluginWorkDirectoryURL)
        ].compactMap(\.self)
    }

    /// Returns the command that checks the property lists of a target; `nil` if it has none. Property lists that are not
    /// catalogs, such as `Info.plist`, are passed over.
    ///
    /// - Parameter folder: Folder in which the command leaves an empty source file once it has found no error, so that it
    ///   runs again only for a changed file.
    fileprivate static func command(for files: [URL], of name: String, tool: URL, folder: URL) -> Command? {
        let files = files.filter { $0.pathExtension.lowercased() == "plist" }
        guard !files.isEmpty else { return nil }
        let stamp = folder.appending(path: "CheckedCatalogs.swift", directoryHint: .notDirectory)
        return .buildCommand(
            displayName: "Checking the catalogs of \(name)", executable: tool,
            arguments: ["lint", "--format", "xcode", "--only-catalogs", "--stamp", stamp.path(percentEncoded: false)]
                + files.map { $0.path(percentEncoded: false) },
            inputFiles: files, outputFiles: [stamp])
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
                    tool: try context.tool(named: "CatalogTool").url, folder: context.pluginWorkDirectoryURL)
            ].compactMap(\.self)
        }
    }
#endif
