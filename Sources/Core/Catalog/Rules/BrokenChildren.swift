let brokenChildRule = "broken-child"

/// Returns findings for the bundles that are excluded from the catalog because they contain an excluded product: a
/// bundle that is sold without this product would deliver less than it promises. Called after all rules, with the
/// products that the rules have excluded.
func brokenChildFindings(in draft: CatalogDraft, broken: Set<Int>) -> [(finding: Finding, bundles: [Int])] {
    guard !broken.isEmpty else { return [] }
    var parents: [String: [(bundle: Int, child: Located<String>)]] = [:]
    for bundle in draft.list.bundles {
        for child in draft.declarations[bundle].children { parents[child.value, default: []].append((bundle, child)) }
    }
    var known = broken
    // In descending order, so that popLast returns the first product of the file.
    var waiting = broken.sorted(by: >)
    var findings: [(finding: Finding, bundles: [Int])] = []
    while let next = waiting.popLast() {
        let identifier = draft.declarations[next].product.identifier
        for (bundle, child) in parents.removeValue(forKey: identifier) ?? [] where known.insert(bundle).inserted {
            waiting.append(bundle)
            let finding = Finding(
                rule: brokenChildRule,
                severity: .note,
                message: "\(draft.declarations[bundle].displayName) is excluded from the catalog because it contains "
                    + "\(child.value.quoted), which is excluded",
                position: child.position
            )
            findings.append((finding, [bundle]))
        }
    }
    return findings
}
