package import ArgumentParser
import Foundation
import VitrineCatalog
package import VitrineCommandSupport
import VitrinePropertyList

package struct LintCommand: ReportingCommand {
    package static let configuration = CommandConfiguration(
        commandName: "lint",
        abstract: "Check catalogs against all rules.",
        discussion: """
            Diagnostics are printed as file:line:column: severity: message [rule], with the line and a caret. A \
            product with an error is left out of the catalog; warnings and notes have no such effect. The exit status \
            is 1 for errors, and with --strict for warnings; 65 for a file that is not a property list, 66 for a \
            missing file; for several files, the highest.

            In a folder, files that are no catalogs, such as Info.plist, are passed over; --only-catalogs passes them \
            over among named files too. Folders of dependencies and builds, hidden folders and what --exclude names \
            are left out. For several files, the last line counts what was found; --verbose names what was not checked.

            Settings of a team are read from the file .vitrine-lint.plist in the nearest folder from that of a catalog \
            upward, or from the one of --settings: the rules that are turned off (disabledRules), other severities \
            (severities) and patterns of files and folders (excluded). Errors are reported all the same.

            --fix corrects problems that have exactly one safe correction and leaves every other byte unchanged; with \
            --dry-run it shows the changes instead. Remaining diagnostics are printed and determine the exit status.

            EXAMPLES:
              vitrine lint --strict Catalogs
              vitrine lint --fix --dry-run Catalogs/Voyager.plist
            """
    )

    @Argument(
        help: ArgumentHelp(
            "The catalogs; for a folder, all catalogs in it. - is standard input.", valueName: "path"),
        completion: .catalog)
    var paths: [String] = []

    @Option(
        help: ArgumentHelp(
            "The format of diagnostics: text, json, sarif, github, gitlab or xcode.", valueName: "format"))
    var format: LintFormat?

    @Option(
        help: ArgumentHelp(
            "Compare the products with this StoreKit configuration, in both directions.", valueName: "file.storekit"),
        completion: .storeConfiguration)
    var storekit: String?

    @Option(help: ArgumentHelp("Warn about product identifiers without this prefix.", valueName: "prefix"))
    var appPrefix: String?

    @Option(
        help: ArgumentHelp(
            "The folder of the content and images that a catalog names. (default: the folder of the catalog, if any "
                + "of these files is in it)",
            valueName: "folder"), completion: .directory)
    var resources: String?

    @Flag(help: "Warn if catalogVersion or expires is missing, which a signed catalog needs.")
    var signed = false

    @Flag(help: "Pass over named files that are no catalogs too.")
    var onlyCatalogs = false

    @OptionGroup package var selection: SelectionOptions

    @Flag(help: "Name the files that were passed over, with the reason, and what was left out.")
    var verbose = false

    @Option(
        help: ArgumentHelp(
            "Without a path, check the catalogs in this folder, as with --only-catalogs.", valueName: "folder"),
        completion: .directory)
    var defaultFolder: String?

    @Flag(help: "Correct problems that have exactly one safe correction.")
    var fix = false

    @Flag(help: "With --fix, show the changes instead of making them.")
    var dryRun = false

    @Option(
        help: ArgumentHelp(
            "Omit the diagnostics in this file: the output of an earlier run with --format json.", valueName: "file"),
        completion: .file())
    var baseline: String?

    @Option(
        help: ArgumentHelp(
            "Write this empty source file if the exit status is 0, from which a build sees that the catalogs are checked.",
            valueName: "file.swift"), completion: .file())
    var stamp: String?

    @Flag(help: "Exit with status 1 for warnings too.")
    var strict = false

    @Flag(help: "List the rules instead of checking anything.")
    var ruleList = false

    @Option(help: ArgumentHelp("Explain a rule instead of checking anything.", valueName: "rule"))
    var explain: String?

    @OptionGroup package var output: OutputOptions

    package init() {}

    package func validate() throws {
        let isListing = ruleList || explain != nil
        let hasPath = !paths.isEmpty || defaultFolder != nil
        guard isListing ? paths.isEmpty : hasPath, !ruleList || explain == nil else {
            throw ValidationError("Use either catalogs, --rule-list, or --explain with a rule.")
        }
        try PathArgument.validate(paths + [defaultFolder, resources, baseline])
        guard format == nil || format == .json || !output.json else {
            throw ValidationError("Use either --json or --format, not both.")
        }
        guard stamp.map({ $0.hasSuffix(".swift") }) ?? true else {
            throw ValidationError("--stamp needs the path of a Swift source file.")
        }
        guard fix || !dryRun else { throw ValidationError("--dry-run needs --fix.") }
        guard !fix || !paths.contains("-") else { throw ValidationError("--fix needs a file, not standard input.") }
        guard !dryRun || (format == nil || format == .text) && !output.json else {
            throw ValidationError("--dry-run prints only text: it cannot be combined with --json or another --format.")
        }
    }

    package func report() throws -> Report {
        if ruleList { return rules(CatalogRuleDescription.all) }
        if let explain {
            let rules = CatalogRuleDescription.all.filter { $0.identifier == explain }
            guard !rules.isEmpty else {
                let nearest = EditDistance.nearest(to: explain, among: CatalogRuleDescription.all.map(\.identifier))
                let advice = nearest.map { "did you mean \($0.quoted)?" } ?? "--rule-list lists the rules"
                throw ToolFailure(status: .no, reason: "there is no rule \(explain.quoted); \(advice)")
            }
            return self.rules(rules)
        }
        let checks = LintedFile.Checks(
            store: try storekit.map { try StoreFile.read($0).configuration }, appPrefix: appPrefix,
            resources: resources, isToBeSigned: signed, fixes: fix)
        try checkResources()
        var search = LintSearch(
            paths: paths.isEmpty ? [defaultFolder].compactMap(\.self) : paths,
            namesAreCertain: !onlyCatalogs && !paths.isEmpty, selection: try selection.selection())
        let all = search.files(checks)
        var files = all.filter { $0.passedOver == nil }
        if fix, !dryRun {
            for index in files.indices {
                files[index].writeFixes(search.checks(checks, for: files[index].path))
            }
        }
        if let baseline {
            var known = try LintBaseline(path: baseline)
            for index in files.indices { files[index].leaveOut(&known) }
        }
        let summary = LintSummary(
            files: files, passedOver: all.filter { $0.passedOver != nil }, search: search, isVerbose: verbose,
            isForReaders: (format == nil || format == .text) && !output.json)
        var workspace = Workspace()
        let isFindingStrict = strict && files.contains { $0.findings.contains { $0.severity == "warning" } }
        let document: JSONObject = [
            "files": files.map { file -> JSONObject in
                [
                    "path": file.path, "workspacePath": workspace.path(of: file.path), "findings": file.findings,
                    "failure": file.failure,
                ]
            }, "passedOver": summary.passedOver.isEmpty ? nil : summary.passedOver.map(\.path),
            "leftOut": search.leftOut.isEmpty ? nil : search.leftOut,
        ]
        let status = files.map(\.status).reduce(isFindingStrict ? .no : .yes, max)
        if let stamp, status == .yes {
            try OutputFile.write(Array("// The catalogs have no errors.\n".utf8), to: stamp)
        }
        let lines = (dryRun ? files.flatMap(\.diff).map(shown) : []) + (try lines(files, document))
        return Report(
            lines: [],
            json: document,
            status: status,
            bytes: Array(lines.map { $0 + "\n" }.joined().utf8),
            remarks: files.compactMap { file in file.failure.map { "error: \(file.path): \($0)" } }
                + files.flatMap(remarks) + summary.lines)
    }

    /// Returns a line of a diff. Control characters are escaped if standard output is a terminal, and commands of a runner
    /// in a job; otherwise another program may read the diff.
    private func shown(_ line: String) -> String {
        guard isatty(STDOUT_FILENO) == 1 || Console.isJob && line.holdsRunnerCommand else { return line }
        return line.split(separator: "\t", omittingEmptySubsequences: false).map { String($0).withoutControlCharacters }
            .joined(separator: "\t")
    }

    private func checkResources() throws {
        guard let resources else { return }
        guard CatalogFolder.isFolder(resources) else {
            throw ToolFailure(status: .noInput, reason: "there is no folder \(resources)")
        }
    }

    /// Returns one line for each applied fix of a file, or the reason why the file cannot be fixed.
    private func remarks(_ file: LintedFile) -> [String] {
        if file.cannotBeFixed, !file.findings.isEmpty {
            return ["\(file.path): only property lists in XML and UTF-8 can be fixed"]
        }
        let done = (file.fixed?.done ?? []).map { diagnostic in
            let location = diagnostic.position.map { "\(file.path):\($0)" } ?? file.path
            return
                "\(dryRun ? "would fix" : "fixed"): \(location): \(diagnostic.fix?.description ?? "") [\(diagnostic.rule)]"
        }
        guard file.otherNameCount > 0 else { return done }
        return done + ["warning: \(file.path): other hard links to the file (\(file.otherNameCount)) are not fixed"]
    }

    private func lines(_ files: [LintedFile], _ document: JSONObject) throws -> [String] {
        switch format {
        case nil, .text: return files.flatMap { $0.text(colored: Console.isColored) }
        case .json: return [try Console.encode(document)]
        case .sarif: return [try Console.encode(SARIFLog.document(files, version: toolVersion))]
        case .github:
            var workspace = Workspace()
            return files.flatMap { $0.github(in: &workspace) }
        case .gitlab: return [try Console.encode(CodeQualityReport.issues(files))]
        case .xcode: return files.flatMap { $0.xcode() }
        }
    }

    private func rules(_ rules: [CatalogRuleDescription]) -> Report {
        var table = Table(headings: ["RULE", "WHY IT MATTERS"])
        table.rows = rules.map { [$0.identifier, $0.explanation] }
        return Report(
            lines: explain == nil ? table.lines : rules.map { "\($0.identifier): \($0.explanation)" },
            json: ["rules": rules.map { ["rule": $0.identifier, "explanation": $0.explanation] }])
    }
}
