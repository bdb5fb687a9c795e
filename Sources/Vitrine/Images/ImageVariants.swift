internal import Foundation

/// What is put behind the name of an image for a screen and a device, as `@2x` and `~ipad`.
struct ImageVariants: Sendable {
    /// The best first, and at last nothing, for the plain name.
    let suffixes: [String]

    /// - Parameters:
    ///   - scale: How many pixels a point of the screen has on each side: 1, 2 or 3.
    ///   - idiom: The kind of device, as `ipad` or `iphone`; `nil` for any.
    init(scale: Int, idiom: String?) {
        let scales = stride(from: min(scale, 3), through: 2, by: -1).map { "@\($0)x" } + [""]
        suffixes = scales.flatMap { scale in [idiom.map { "\(scale)~\($0)" }, scale].compactMap(\.self) }
    }

    /// The addresses on the web under which an image may lie: the best first, and at last its own. What follows the path, as
    /// a query, stays. An address that names no file has no other.
    func addresses(of plain: URL) -> [URL] {
        guard let components = URLComponents(url: plain, resolvingAgainstBaseURL: true) else { return [plain] }
        let path = components.percentEncodedPath
        let name = path[(path.lastIndex(of: "/").map(path.index(after:)) ?? path.startIndex)...]
        guard !name.isEmpty else { return [plain] }
        // What begins with a dot has a name and no ending.
        let ending = name.dropFirst().lastIndex(of: ".") ?? path.endIndex
        let others = suffixes.filter { !$0.isEmpty }.compactMap { suffix -> URL? in
            guard let suffix = suffix.addingPercentEncoding(withAllowedCharacters: .urlPathAllowed) else { return nil }
            var other = components
            other.percentEncodedPath = "\(path[..<ending])\(suffix)\(path[ending...])"
            return other.url
        }
        return others + [plain]
    }
}
