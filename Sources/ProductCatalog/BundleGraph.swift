/// Which products contain which, as indexes into a catalog's products.
public struct BundleGraph: Sendable {
    private let childrenOf: AdjacencyList
    private let parentsOf: AdjacencyList

    init(products: [CatalogProduct], indexes: [String: Int]) {
        var edges: [(from: Int, to: Int)] = []
        for parent in products.indices {
            for child in products[parent].childProducts {
                if let child = indexes[child] { edges.append((parent, child)) }
            }
        }
        childrenOf = AdjacencyList(count: products.count, edges: edges)
        parentsOf = AdjacencyList(count: products.count, edges: edges.map { ($1, $0) })
    }

    /// The products that one contains directly, in the order of the file.
    public func children(of index: Int) -> [Int] { childrenOf[index] }

    /// The bundles that contain a product directly.
    public func parents(of index: Int) -> [Int] { parentsOf[index] }

    /// The product itself and everything that it contains, directly or through other bundles.
    public func descendants(of index: Int) -> [Int] { reachable(from: index, by: childrenOf) }

    /// The product itself and every bundle that contains it, directly or through other bundles.
    public func ancestors(of index: Int) -> [Int] { reachable(from: index, by: parentsOf) }

    /// Everything that some products contain, themselves included, each with one of those that contain it.
    public func descendants(ofEach sources: [Int]) -> [Int: Int] { reached(from: sources, by: childrenOf) }

    /// Every bundle that contains one of some products, themselves included, each with one of those that it contains.
    public func ancestors(ofEach sources: [Int]) -> [Int: Int] { reached(from: sources, by: parentsOf) }

    private func reached(from sources: [Int], by edges: AdjacencyList) -> [Int: Int] {
        var sourceOf: [Int: Int] = [:]
        for source in sources {
            var waiting = [source]
            while let next = waiting.popLast() {
                guard sourceOf[next] == nil else { continue }
                sourceOf[next] = source
                waiting += edges[next]
            }
        }
        return sourceOf
    }

    private func reachable(from index: Int, by edges: AdjacencyList) -> [Int] {
        var seen: Set<Int> = [index]
        var found = [index]
        var next = 0
        while next < found.count {
            found += edges[found[next]].filter { seen.insert($0).inserted }
            next += 1
        }
        return found
    }
}

/// The edges of a graph, those of one node after those of the node before it.
private struct AdjacencyList: Sendable {
    private var starts: [Int32]
    private var targets: [Int32]

    init(count: Int, edges: [(from: Int, to: Int)]) {
        starts = Array(repeating: 0, count: count + 1)
        for edge in edges { starts[edge.from + 1] += 1 }
        for node in 0..<count { starts[node + 1] += starts[node] }
        targets = Array(repeating: 0, count: edges.count)
        var next = starts
        for edge in edges {
            targets[Int(next[edge.from])] = Int32(edge.to)
            next[edge.from] += 1
        }
    }

    subscript(node: Int) -> [Int] {
        targets[Int(starts[node])..<Int(starts[node + 1])].map(Int.init)
    }
}
