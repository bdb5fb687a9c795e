internal import Foundation

/// What the table of contents of a xar lists
/// ([the format](https://github.com/mackyle/xar/wiki/xarformat)).
struct XarContents {
    struct Entry {
        fileprivate(set) var path: String
        /// Its own name is there, and not only the path of the folder that it lies in.
        fileprivate var isNamed = false
        fileprivate(set) var type: String?
        fileprivate(set) var mode: String?
        fileprivate(set) var data = Data()

        fileprivate init(path: String) { self.path = path }
    }

    /// Where the content of a file is, and what it has to be.
    struct Data {
        /// From the beginning of the heap on, in bytes.
        fileprivate(set) var offset: Int?
        /// As it is stored, in bytes.
        fileprivate(set) var storedLength: Int?
        /// As it is written, in bytes.
        fileprivate(set) var length: Int?
        /// The media type of how it is stored.
        fileprivate(set) var encoding: String?
        fileprivate(set) var checksum: String?
        fileprivate(set) var checksumStyle: String?
    }

    /// In the order in which they are listed.
    private(set) var entries: [Entry] = []

    private let limits: ContentLimits
    private var open: [(name: String, file: Int?)] = []
    private var text = ""
    private var attributes: [String: String] = [:]

    private var lengthOfPaths = 0

    private static let greatestDepth = 256
    /// Of all paths together, in bytes: each has that of its folder in it.
    private static let longestPaths = 16 * 1024 * 1024

    /// - Throws: ``XarMarkup/Defect`` for what is no table of contents, or is too much.
    init(_ bytes: [UInt8], limits: ContentLimits) throws(XarMarkup.Defect) {
        self.limits = limits
        var markup = try XarMarkup(bytes)
        var hasContents = false
        while let token = try markup.next() {
            switch token {
            case .start(let name, let attributes):
                hasContents = hasContents || isIn("xar") && name == "toc"
                try begin(name, attributes)
            case .text(let text): self.text = text
            case .end(let name): try end(name)
            }
        }
        guard open.isEmpty, hasContents else { throw .damaged }
    }

    private func isIn(_ path: String...) -> Bool {
        open.count >= path.count && zip(open.suffix(path.count), path).allSatisfy { $0.name == $1 }
    }

    private mutating func begin(_ name: String, _ attributes: [String: String]) throws(XarMarkup.Defect) {
        guard open.count < Self.greatestDepth else { throw .damaged }
        var file = open.last?.file
        if name == "file", isIn("toc") || isIn("file") {
            guard entries.count < limits.entries else {
                throw XarMarkup.Defect("it holds more than \(limits.entries) files and folders")
            }
            // A folder has its name before what lies in it.
            entries.append(Entry(path: file.map { "\(entries[$0].path)/" } ?? ""))
            file = entries.count - 1
        }
        open.append((name, file))
        (text, self.attributes) = ("", attributes)
    }

    private mutating func end(_ name: String) throws(XarMarkup.Defect) {
        guard let element = open.popLast(), element.name == name else { throw .damaged }
        defer { text = "" }
        guard let file = element.file else { return }
        if name == "file", isIn("toc") || isIn("file") {
            guard entries[file].isNamed else { throw .damaged }
            return
        }
        if isIn("file") {
            switch name {
            case "name":
                let name = try decodedName()
                guard !name.isEmpty, !entries[file].isNamed else { throw .damaged }
                entries[file].path += name
                entries[file].isNamed = true
                lengthOfPaths += entries[file].path.utf8.count
                guard entries[file].path.utf8.count <= PackagePath.longest, lengthOfPaths <= Self.longestPaths else {
                    throw XarMarkup.Defect("its table of contents has paths that are too long")
                }
            case "type": try set(\.type, of: file)
            case "mode": try set(\.mode, of: file)
            default: break
            }
        } else if isIn("file", "data") {
            switch name {
            case "offset": try setNumber(\.data.offset, of: file)
            // What the format calls the length is that of the stored bytes.
            case "length": try setNumber(\.data.storedLength, of: file)
            case "size": try setNumber(\.data.length, of: file)
            case "encoding":
                text = attributes["style"] ?? ""
                try set(\.data.encoding, of: file)
            case "extracted-checksum":
                try set(\.data.checksum, of: file)
                entries[file].data.checksumStyle = attributes["style"]
            default: break
            }
        }
    }

    /// Names that are not in Latin 1 are written in base64, in lines.
    private func decodedName() throws(XarMarkup.Defect) -> String {
        guard let encoding = attributes["enctype"] else { return text }
        guard encoding == "base64" else { throw XarMarkup.Defect("it has a name in an encoding that is not known") }
        let digits = text.filter { !$0.isWhitespace }
        guard let bytes = Foundation.Data(base64Encoded: digits), let name = String(validating: bytes, as: UTF8.self)
        else { throw XarMarkup.Defect("it has a name in base64 that is not UTF-8") }
        return name
    }

    /// Sets what may be said once.
    private mutating func set(
        _ value: WritableKeyPath<Entry, String?>, of file: Int
    ) throws(XarMarkup.Defect) {
        guard entries[file][keyPath: value] == nil else { throw .damaged }
        entries[file][keyPath: value] = text
    }

    private mutating func setNumber(
        _ value: WritableKeyPath<Entry, Int?>, of file: Int
    ) throws(XarMarkup.Defect) {
        guard entries[file][keyPath: value] == nil, let number = Int(text), number >= 0 else { throw .damaged }
        entries[file][keyPath: value] = number
    }
}
