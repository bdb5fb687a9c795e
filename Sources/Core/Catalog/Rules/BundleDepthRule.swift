/// Rule that limits how deep bundles are nested. When ownership of a product changes, it is computed again for all
/// bundles that contain the product, which would be slow for a chain of thousands of bundles.
struct BundleDepthRule: CrossProductRule {
    static let identifier = "bundle-depth"
    static let explanation =
        "Bundles can be nested up to 64 levels deep. A product in a deeper chain would make each purchase slow."

    private static let limit = 64

    func findings(in draft: CatalogDraft) -> [Finding] {
        guard draft.bundles.count > Self.limit else { return [] }
        return depths(in: draft).filter { $0.value == Self.limit + 1 }.keys.sorted().map { index in
            let declaration = draft.declarations[index]
            return finding(
                .error, "\(declaration.displayName) contains bundles more than \(Self.limit) levels deep",
                at: declaration.position, leavingOut: [index])
        }
    }

    /// Returns the nesting depth of each bundle: 1 for a bundle without bundles inside. Bundles that contain each other
    /// are omitted, and so are bundles that contain them.
    private func depths(in draft: CatalogDraft) -> [Int: Int] {
        var parents: [Int: [Int]] = [:]
        var missing: [Int: Int] = [:]
        for (bundle, children) in draft.bundles {
            for child in children.compactMap(\.self) where !draft.declarations[child].children.isEmpty {
                parents[child, default: []].append(bundle)
                missing[bundle, default: 0] += 1
            }
        }
        var depths: [Int: Int] = [:]
        var next = draft.bundles.map(\.index).filter { missing[$0] == nil }
        for bundle in next { depths[bundle] = 1 }
        while let bundle = next.popLast() {
            let depth = (depths[bundle] ?? 0) + 1
            for parent in parents[bundle] ?? [] {
                depths[parent] = max(depths[parent] ?? 0, depth)
                missing[parent, default: 0] -= 1
                if missing[parent] == 0 { next.append(parent) }
            }
        }
        return depths.filter { missing[$0.key] ?? 0 == 0 }
    }
}
