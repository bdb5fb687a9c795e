internal import PropertyList

let brokenChildRule = "broken-child"

/// The bundles that have to be left out because something that they contain is: sold without it, they would give
/// less than they promise. This runs after the rules, on what they left out.
func brokenChildFindings(in draft: CatalogDraft, broken: Set<Int>) -> [(finding: Finding, bundles: [Int])] {
    guard !broken.isEmpty else { return [] }
    var parents: [String: [(bundle: Int, child: Located<String>)]] = [:]
    for (bundle, declaration) in draft.declarations.enumerated() {
        for child in declaration.children { parents[child.value, default: []].append((bundle, child)) }
    }
    var known = broken
    // From the last to the first: what is taken up last is first in the file.
    var waiting = broken.sorted(by: >)
    var findings: [(finding: Finding, bundles: [Int])] = []
    while let next = waiting.popLast() {
        let identifier = draft.declarations[next].product.identifier
        for (bundle, child) in parents.removeValue(forKey: identifier) ?? [] where known.insert(bundle).inserted {
            waiting.append(bundle)
            let finding = Finding(
                rule: brokenChildRule,
                severity: .note,
                message: "\(draft.declarations[bundle].displayName) is left out with \(child.value.quoted), "
                    + "which it contains",
                position: child.position
            )
            findings.append((finding, [bundle]))
        }
    }
    return findings
}
