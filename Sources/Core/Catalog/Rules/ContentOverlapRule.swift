struct ContentOverlapRule: CrossProductRule {
    static let identifier = "content-overlap"
    static let explanation =
        "Installing content replaces its whole folder: if two products declare the same folder, or one declares a "
        + "folder inside the other's, installing the content of one destroys that of the other."

    func findings(in draft: CatalogDraft) -> [Finding] {
        let paths = draft.list.hosted
        guard Self.mayOverlap(paths) else { return [] }
        // Sorted by path, each folder is followed by the folders inside it.
        var places = paths.map { (path: $0.path.foldingKey, index: $0.index) }
        places.sort { $0.path == $1.path ? $0.index < $1.index : $0.path < $1.path }
        var outer: (path: String, index: Int)?
        return places.compactMap { place in
            guard let holder = outer, place.path == holder.path || place.path.hasPrefix(holder.path + "\u{0}") else {
                outer = place
                return nil
            }
            let (first, second) = (draft.declarations[holder.index], draft.declarations[place.index])
            return finding(
                .error,
                "the content folder of \(second.displayName) overlaps that of \(first.displayName): "
                    + "installing one destroys the other",
                at: second.localContentPath?.position,
                notes: [
                    Diagnostic.Note(
                        message: "the folder of \(first.displayName) is declared here",
                        position: first.localContentPath?.position)
                ],
                leavingOut: [holder.index, place.index])
        }
    }

    /// Returns `false` if no two paths are equal and no path is inside another one. The paths then need not be sorted,
    /// which saves time in nearly every catalog. Only hashes are compared, so the result may be `true` by chance.
    private static func mayOverlap(_ paths: [(path: ContentPath, index: Int)]) -> Bool {
        var hashes: [UInt64] = []
        hashes.reserveCapacity(paths.count)
        var folders: Set<UInt64> = []
        for (path, _) in paths {
            var hash: UInt64 = 0xCBF2_9CE4_8422_2325
            for byte in path.folded.utf8 {
                if byte == UInt8(ascii: "/") { folders.insert(hash) }
                // FNV-1a, http://www.isthe.com/chongo/tech/comp/fnv/
                hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3
            }
            hashes.append(hash)
        }
        hashes.sort()
        return zip(hashes, hashes.dropFirst()).contains { $0 == $1 } || hashes.contains { folders.contains($0) }
    }
}
