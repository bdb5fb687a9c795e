/// Containment of products in bundles, by indexes into a catalog's products.
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

    /// Returns the products that a product directly contains, in file order.
    public func children(of index: Int) -> [Int] { childrenOf[index] }

    /// Returns the bundles that directly contain a product.
    public func parents(of index: Int) -> [Int] { parentsOf[index] }

    /// Returns the product itself and all products that it contains, directly or through other bundles.
    public func descendants(of index: Int) -> [Int] { reachable(from: index, by: childrenOf) }

    /// Returns the product itself and all bundles that contain it, directly or through other bundles.
    public func ancestors(of index: Int) -> [Int] { reachable(from: index, by: parentsOf) }

    /// Returns the sources and all products that they contain, each with one source that contains it.
    public func descendants(ofEach sources: [Int]) -> [Int: Int] { reached(from: sources, by: childrenOf) }

    /// Returns the sources and all bundles that contain one of them, each with one source that it contains.
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

/// Edges of a graph in one array, grouped by source node.
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
