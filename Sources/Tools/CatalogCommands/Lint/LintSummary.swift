import VitrineCatalog
internal import VitrineCommandSupport

/// Lines about what `vitrine lint` has looked at, and what it has not checked.
struct LintSummary {
    /// Files that were checked.
    let files: [LintedFile]
    /// Files that are no catalogs.
    let passedOver: [LintedFile]
    let search: LintSearch
    /// `true` to name what was not checked.
    let isVerbose: Bool
    /// `true` if the diagnostics are printed as text, so that a last line counts them.
    let isForReaders: Bool

    var lines: [String] { unchecked + emptyFolders + counts }

    /// Files and folders that were not checked: all with `--verbose`, otherwise those that are too large for a catalog.
    private var unchecked: [String] {
        guard isVerbose else {
            return passedOver.filter { $0.passedOver == .tooLarge }.map { file in
                "warning: \(file.path) is not checked: it is \(CatalogCandidate.Other.tooLarge.reason)"
            }
        }
        return passedOver.map { "passed over: \($0.path): \($0.passedOver?.reason ?? "")" }
            + search.leftOut.map { "left out: \($0)" }
    }

    private var emptyFolders: [String] {
        search.emptyFolders.map { folder in
            let others = others(folder.passedOver, folder.leftOut)
            return "no catalog in \(folder.path): " + (others.isEmpty ? "it has no property lists" : others)
        }
    }

    /// Line with the numbers of files, errors and warnings; none for a single file, and if the lines about folders
    /// without a catalog say everything.
    private var counts: [String] {
        let hasOthers = !passedOver.isEmpty || !search.leftOut.isEmpty
        let isNeeded = files.count > 1 || hasOthers && (!files.isEmpty || passedOver.count > 1)
        guard isForReaders, isNeeded, !search.isWithoutCatalog else { return [] }
        func count(_ severity: Diagnostic.Severity) -> Int {
            files.reduce(0) { $0 + $1.findings.count { $0.severity == severity.rawValue } }
        }
        let concerned = files.count { !$0.findings.isEmpty || $0.failure != nil }
        let unread = files.count { $0.failure != nil }
        return [
            "\(files.count.with("file")) checked: \(count(.error).with("error")) and "
                + "\(count(.warning).with("warning")) in \(concerned.with("file"))"
                + (unread == 0 ? "" : ", \(unread) could not be read")
                + (hasOthers ? "; \(others(passedOver, search.leftOut))" : "")
        ]
    }

    /// Returns the numbers of files that were passed over, and of files and folders that were left out.
    private func others(_ passedOver: [LintedFile], _ leftOut: [String]) -> String {
        let unreadable = passedOver.count { ![.propertyList, .tooLarge].contains($0.passedOver) }
        let folders = leftOut.count { $0.hasSuffix("/") }
        var parts: [String] = []
        if !passedOver.isEmpty {
            let detail = unreadable == 0 ? "" : " (\(unreadable) cannot be read)"
            parts.append("\(passedOver.count.with("file")) passed over: no catalogs\(detail)")
        }
        if folders > 0 { parts.append("\(folders.with("folder")) left out") }
        if leftOut.count > folders { parts.append("\((leftOut.count - folders).with("file")) left out") }
        let isComplete = isVerbose || unreadable == 0 && leftOut.isEmpty
        return parts.joined(separator: ", ") + (isComplete ? "" : "; --verbose names them")
    }
}
