import Foundation
import PackagePlugin

/// Command `swift package lint-catalogs`: checks the catalogs of the package, or those that its arguments name, with the
/// options of `vitrine lint`.
@main
struct LintCatalogsCommand: CommandPlugin {
    func performCommand(context: PluginContext, arguments: [String]) throws {
        guard !arguments.contains("--fix") || arguments.contains("--dry-run") else {
            Diagnostics.error("a plugin may not change files: use 'vitrine lint --fix'")
            return
        }
        let folder = context.package.directoryURL.path(percentEncoded: false)
        try Self.run(context.tool(named: "VitrineCatalogTool").url, ["lint", "--default-folder", folder] + arguments)
    }

    /// Runs the tool, and ends with its exit status.
    fileprivate static func run(_ tool: URL, _ arguments: [String]) throws {
        let process = try Process.run(tool, arguments: arguments)
        process.waitUntilExit()
        if process.terminationStatus != 0 { exit(process.terminationStatus) }
    }
}

#if canImport(XcodeProjectPlugin)
    import XcodeProjectPlugin

    // Xcode projects. This part has not been compiled or run by us.
    extension LintCatalogsCommand: XcodeCommandPlugin {
        func performCommand(context: XcodePluginContext, arguments: [String]) throws {
            // Xcode adds the names of the chosen targets to the arguments; the whole project is checked.
            try Self.run(
                context.tool(named: "VitrineCatalogTool").url,
                [
                    "lint", "--format", "xcode", "--default-folder",
                    context.xcodeProject.directoryURL.path(percentEncoded: false),
                ])
        }
    }
#endif
