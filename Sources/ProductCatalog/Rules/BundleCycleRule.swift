internal import PropertyList

/// Bundles that contain each other would each be unlocked with the other, and neither could be bought by itself.
struct BundleCycleRule: CatalogRule {
    static let identifier = "bundle-cycle"

    func findings(in draft: CatalogDraft) -> [Finding] {
        var search = CycleSearch(draft: draft)
        for index in draft.declarations.indices { search.visit(from: index) }
        return search.cycles.map { cycle in
            let path = (cycle + cycle.prefix(1)).map { draft.declarations[$0.declaration].product.identifier }
            return finding(
                .error,
                cycle.count == 1
                    ? "\"\(path[0])\" contains itself"
                    : "bundles contain each other: \(path.joined(separator: " → "))",
                at: cycle[0].child.position,
                notes: cycle.dropFirst().map { step in
                    Diagnostic.Note(
                        message: "and \"\(draft.declarations[step.declaration].product.identifier)\" contains "
                            + "\"\(step.child.value)\" here",
                        position: step.child.position)
                },
                leavingOut: cycle.map(\.declaration)
            )
        }
    }
}

/// A depth-first search that needs no recursion, however long a chain of bundles is.
private struct CycleSearch {
    struct Step {
        let declaration: Int
        let child: Located<String>
    }

    private enum State { case unseen, onPath, done }

    let draft: CatalogDraft
    private(set) var cycles: [[Step]] = []
    private var states: [State]

    init(draft: CatalogDraft) {
        self.draft = draft
        states = Array(repeating: .unseen, count: draft.declarations.count)
    }

    mutating func visit(from start: Int) {
        guard states[start] == .unseen else { return }
        var path: [(declaration: Int, nextChild: Int)] = [(start, 0)]
        states[start] = .onPath
        while let top = path.last {
            let children = draft.declarations[top.declaration].children
            guard top.nextChild < children.count else {
                states[top.declaration] = .done
                path.removeLast()
                continue
            }
            path[path.count - 1].nextChild += 1
            guard let child = draft.declaration(of: children[top.nextChild].value) else { continue }
            switch states[child] {
            case .done: break
            case .unseen:
                states[child] = .onPath
                path.append((child, 0))
            case .onPath:
                let cycle = path.drop { $0.declaration != child }
                cycles.append(
                    cycle.map {
                        Step(
                            declaration: $0.declaration,
                            child: draft.declarations[$0.declaration].children[$0.nextChild - 1])
                    })
            }
        }
    }
}
