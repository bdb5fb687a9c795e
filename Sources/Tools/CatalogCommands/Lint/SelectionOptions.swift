package import ArgumentParser
internal import VitrineCommandSupport

/// Files and folders that a command leaves out, as options and as settings of a team.
package struct SelectionOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Leave out files and folders: a name, or a path from the current folder, with *, ? and **. Elsewhere a path "
                + "begins at the folder that is searched.",
            valueName: "pattern"))
    package var exclude: [String] = []

    @Option(
        help: ArgumentHelp(
            "The settings for all catalogs. (default: .vitrine-lint.plist in the nearest folder)", valueName: "plist"))
    package var settings: String?

    package init() {}

    package func validate() throws { try PathArgument.validate([settings]) }

    /// - Throws: ``ToolFailure`` 64 for a pattern that cannot match anything.
    func selection() throws(ToolFailure) -> LintSelection {
        try LintSelection(settings: settings, excluded: exclude)
    }
}
