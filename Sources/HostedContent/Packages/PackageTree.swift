internal import ProductCatalog

/// Files and folders of a package, which every file system can distinguish.
struct PackageTree {
    private struct Node {
        let path: PackagePath
        let isFolder: Bool
        /// `true` for an entry of the archive, `false` for a folder that is only part of a path.
        var isStated: Bool
    }

    /// Number of files and folders, including folders that are only part of a path.
    private let most: Int
    private var nodes: [String: Node] = [:]

    init(most: Int) { self.most = most }

    /// Adds a file or folder, and the folders above it.
    ///
    /// - Throws: ``ContentPathError`` if it, or a folder above it, was added already as something else.
    mutating func add(_ path: PackagePath, isFolder: Bool) throws(ContentPathError) {
        try enter(path, isFolder: isFolder, isStated: true)
        var parent = PackagePath(names: path.names.dropLast())
        while !parent.names.isEmpty {
            guard try enter(parent, isFolder: true, isStated: false) else { return }
            parent = PackagePath(names: parent.names.dropLast())
        }
    }

    /// - Returns: `true` if it was not there yet.
    @discardableResult
    private mutating func enter(_ path: PackagePath, isFolder: Bool, isStated: Bool) throws(ContentPathError) -> Bool {
        let key = path.text.foldedFileName
        guard let other = nodes[key] else {
            guard nodes.count < most else {
                throw ContentPathError(reason: "exceeds the limit of \(most) files and folders")
            }
            nodes[key] = Node(path: path, isFolder: isFolder, isStated: isStated)
            return true
        }
        guard other.path.text.utf8.elementsEqual(path.text.utf8) else {
            throw ContentPathError(reason: "some file systems do not distinguish it from \(other.path.text.quoted)")
        }
        guard other.isFolder, isFolder else {
            throw ContentPathError(reason: other.isFolder == isFolder ? "occurs twice" : "is both a file and a folder")
        }
        guard !(other.isStated && isStated) else { throw ContentPathError(reason: "occurs twice") }
        if isStated { nodes[key]?.isStated = true }
        return false
    }
}
