/// Containment of products in bundles. A product is identified by its index in the catalog's products.
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

    /// Returns a dictionary whose keys are the given products and all products that they contain. The value of a key is
    /// one of the given products that contains the key.
    public func descendants(ofEach sources: [Int]) -> [Int: Int] { reached(from: sources, by: childrenOf) }

    /// Returns a dictionary whose keys are the given products and all bundles that contain one of them. The value of a
    /// key is one of the given products that the key contains.
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

/// Edges of a graph in one array, grouped by their start node.
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

/// Strongly connected components of a graph (Tarjan 1972), computed without recursion and in linear time.
enum StronglyConnectedComponents {
    /// Returns the components that contain a cycle, ordered by their first node, each with its nodes in ascending
    /// order.
    ///
    /// - Parameter targets: Target nodes of the edges of each node.
    static func cyclic(_ targets: [[Int]]) -> [[Int]] {
        var search = Search(targets: targets)
        for node in targets.indices where search.order[node] == nil { search.visit(node) }
        return search.components
            .filter { $0.count > 1 || targets[$0[0]].contains($0[0]) }
            .map { $0.sorted() }
            .sorted { $0[0] < $1[0] }
    }

    /// Returns a shortest cycle through the first node of a component.
    static func cycle(in component: [Int], _ targets: [[Int]]) -> [Int] {
        let members = Set(component)
        let start = component[0]
        var previous: [Int: Int] = [:]
        var waiting = [start]
        var next = 0
        while next < waiting.count {
            let node = waiting[next]
            next += 1
            for target in targets[node] where members.contains(target) {
                if target == start { return path(to: node, previous) }
                guard previous[target] == nil else { continue }
                previous[target] = node
                waiting.append(target)
            }
        }
        return component
    }

    private static func path(to node: Int, _ previous: [Int: Int]) -> [Int] {
        var path = [node]
        while let before = previous[path[path.count - 1]] { path.append(before) }
        return path.reversed()
    }

    private struct Search {
        let targets: [[Int]]
        /// Position of each node in the order of the first visits; `nil` for a node that was not visited yet.
        var order: [Int?]
        private var lowest: [Int]
        private var isOnStack: [Bool]
        private var stack: [Int] = []
        private(set) var components: [[Int]] = []
        private var count = 0

        init(targets: [[Int]]) {
            self.targets = targets
            order = Array(repeating: nil, count: targets.count)
            lowest = Array(repeating: 0, count: targets.count)
            isOnStack = Array(repeating: false, count: targets.count)
        }

        mutating func visit(_ start: Int) {
            enter(start)
            var path = [(node: start, nextTarget: 0)]
            while let top = path.last {
                guard top.nextTarget < targets[top.node].count else {
                    path.removeLast()
                    if let parent = path.last?.node { lowest[parent] = min(lowest[parent], lowest[top.node]) }
                    if lowest[top.node] == order[top.node] { closeComponent(of: top.node) }
                    continue
                }
                path[path.count - 1].nextTarget += 1
                let target = targets[top.node][top.nextTarget]
                if let seen = order[target] {
                    if isOnStack[target] { lowest[top.node] = min(lowest[top.node], seen) }
                } else {
                    enter(target)
                    path.append((target, 0))
                }
            }
        }

        private mutating func enter(_ node: Int) {
            order[node] = count
            lowest[node] = count
            count += 1
            stack.append(node)
            isOnStack[node] = true
        }

        private mutating func closeComponent(of node: Int) {
            var component: [Int] = []
            while let member = stack.popLast() {
                isOnStack[member] = false
                component.append(member)
                if member == node { break }
            }
            components.append(component)
        }
    }
}
