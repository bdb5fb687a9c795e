internal import VitrinePropertyList

struct BundleCycleRule: CrossProductRule {
    static let identifier = "bundle-cycle"
    static let explanation =
        "If bundles contain each other, each purchase unlocks both, and neither can be bought separately."

    /// Maximum number of bundles in the message about a cycle. A longer cycle is truncated.
    private static let longestPath = 10

    func findings(in draft: CatalogDraft) -> [Finding] {
        // Only bundles can be part of a cycle: children other than bundles are ignored.
        var children = Array(repeating: [Int](), count: draft.declarations.count)
        var hasEdges = false
        for bundle in draft.bundles {
            children[bundle.index] = bundle.children.compactMap(\.self)
                .filter { !draft.declarations[$0].children.isEmpty }
            hasEdges = hasEdges || !children[bundle.index].isEmpty
        }
        guard hasEdges else { return [] }
        return StronglyConnectedComponents.cyclic(children).map { component in
            finding(for: StronglyConnectedComponents.cycle(in: component, children), of: component, in: draft)
        }
    }

    /// Returns one finding for all bundles that contain each other, with one of the cycles in its message.
    private func finding(for cycle: [Int], of component: [Int], in draft: CatalogDraft) -> Finding {
        let steps = cycle.indices.map { index in
            let next = draft.declarations[cycle[(index + 1) % cycle.count]].product.identifier
            let child = draft.declarations[cycle[index]].children.first { $0.value == next }
            return (bundle: draft.declarations[cycle[index]], next: next, position: child?.position)
        }
        let shown = steps.prefix(Self.longestPath)
        let path = shown.map(\.bundle.displayName) + (steps.count > shown.count ? ["…"] : [])
        return finding(
            .error,
            steps.count == 1
                ? "\(path[0]) contains itself"
                : "bundles contain each other: \((path + path.prefix(1)).joined(separator: " → "))",
            at: steps[0].position,
            notes: shown.dropFirst().map { step in
                Diagnostic.Note(
                    message: "and \(step.bundle.displayName) contains \(step.next.quoted) here",
                    position: step.position)
            },
            leavingOut: component
        )
    }
}
