internal import Foundation
package import VitrinePropertyList

/// Decision whether a file among others is a catalog. All commands, builds, hooks and reports that look for catalogs
/// use it.
///
/// A file that an app cannot load as its catalog must not be mistaken for something else: a catalog with a mistake, such
/// as a misspelled key at its root, and a catalog that can no longer be read, are catalogs.
package enum CatalogCandidate: Sendable {
    /// A catalog, possibly with errors.
    case catalog(PropertyListDocument)
    /// A file that cannot be read, but has keys or identifiers of a catalog.
    case damagedCatalog(PropertyListError)
    /// File of another kind.
    case other(Other)

    /// Kind of a file that is no catalog.
    package enum Other: Sendable, Hashable {
        /// A readable property list without products, such as `Info.plist`.
        case propertyList
        case empty
        /// The file that Git LFS leaves in place of a file that was not fetched.
        case pointer
        /// A text that a program turns into a property list.
        case template
        /// A property list in the format of NeXTSTEP, which Vitrine does not read.
        case oldStyle
        case unreadable(PropertyListError)
        /// A file that exceeds the size limit of catalogs.
        case tooLarge
        /// A file that cannot be opened because its name is not UTF-8.
        case undecodableName
    }

    /// Extensions of the files that may be catalogs, in lower case.
    package static let fileExtensions: Set<String> = ["plist", "json"]

    /// Returns `true` if a file may be a catalog, judging by its name.
    package static func mayBe(fileName: String) -> Bool {
        guard let period = fileName.lastIndex(of: "."), period != fileName.startIndex else { return false }
        return fileExtensions.contains(fileName[fileName.index(after: period)...].lowercased())
    }

    /// Examines the content of a file.
    ///
    /// - Parameter bytes: Content of the file, or at least one byte more than the size limit of a property list.
    package init(_ bytes: [UInt8]) {
        guard bytes.count <= PropertyListLimits().size else {
            self = .other(.tooLarge)
            return
        }
        do throws(PropertyListError) {
            let document = try PropertyListDocument(bytes: bytes)
            self = CatalogDialect.isCatalog(document) ? .catalog(document) : .other(.propertyList)
        } catch {
            let file = UnreadableFile(bytes, error)
            self = file.holdsCatalog ? .damagedCatalog(error) : .other(file.kind)
        }
    }
}

extension CatalogCandidate.Other {
    /// Reason why the file is no catalog, as the rest of a sentence.
    package var reason: String {
        switch self {
        case .propertyList: "a property list or JSON of another kind"
        case .empty: "an empty file"
        case .pointer: "a pointer of Git LFS: the file itself was not fetched"
        case .template: "a template, from which a property list is made"
        case .oldStyle: "an old-style property list"
        case .unreadable(let error): (error.position.map { "\($0): " } ?? "") + error.reason
        case .tooLarge: "larger than \(PropertyListLimits().size) bytes"
        case .undecodableName: "a name that is not UTF-8"
        }
    }
}

/// Text of a file that is neither a property list nor JSON.
private struct UnreadableFile {
    private let error: PropertyListError
    /// Text in UTF-8, or the bytes of a file that is no text.
    private let text: [UInt8]
    /// First character that is not white space; the end of the text if there is none.
    private let start: Int

    init(_ bytes: [UInt8], _ error: PropertyListError) {
        self.error = error
        // The reason why an encoding cannot be read is in the error of the property list.
        text = (try? TextEncoding.utf8(of: bytes)) ?? bytes
        let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
        let begin = text.starts(with: mark) ? mark.count : 0
        start = text[begin...].firstIndex { !Self.isSpace($0) } ?? text.count
    }

    /// Indicates that the file was a catalog, or was meant to be one.
    var holdsCatalog: Bool {
        guard !isPointer, !isOldStyle, !isTemplate else { return false }
        return Self.signs.contains { position(of: $0) != nil } || position(of: "<key>") == nil && hasIdentifier
    }

    var kind: CatalogCandidate.Other {
        if start == text.count { return .empty }
        if isPointer { return .pointer }
        if isTemplate || Self.placeholders.contains(where: { position(of: $0) != nil }) { return .template }
        return isOldStyle ? .oldStyle : .unreadable(error)
    }

    /// Keys that catalogs have and other property lists do not.
    private static let signs =
        [CatalogKey.productIdentifier.name]
        + [CatalogKey.productValue.name, CatalogKey.childProducts.name, "catalogVersion", "ConsumableId"]
        .map { "<key>\($0)</key>" }

    private static let instructions = ["{%", "{{", "<%"]
    private static let placeholders = instructions + ["<#", "${", "$("]

    /// `true` for a text that begins as the
    /// [specification](https://github.com/git-lfs/git-lfs/blob/main/docs/spec.md) of Git LFS says.
    private var isPointer: Bool { text[start...].starts(with: "version https://git-lfs.github.com/spec/".utf8) }

    private var isOldStyle: Bool {
        // Broken JSON has another error.
        error.code == .unsupportedFormat && !isTemplate
            && ["{", "(", "//", "/*"].contains { text[start...].starts(with: $0.utf8) }
    }

    /// `true` if an instruction of a template begins a line between elements. Within a text it is no such sign, because
    /// the texts of a catalog may contain placeholders of the app.
    private var isTemplate: Bool {
        var (isLineStart, isBetween) = (true, true)
        for index in text.indices[start...] {
            let byte = text[index]
            if isLineStart, isBetween, Self.instructions.contains(where: { text[index...].starts(with: $0.utf8) }) {
                return true
            }
            isLineStart = byte == UInt8(ascii: "\n") || isLineStart && Self.isSpace(byte)
            if !Self.isSpace(byte) { isBetween = byte == UInt8(ascii: ">") || byte == UInt8(ascii: "}") }
        }
        return false
    }

    /// `true` if the text has a string that is a reverse domain name with two periods, as in a list of identifiers.
    private var hasIdentifier: Bool {
        var from = start
        while let found = position(of: "<string>", from: from) {
            from = found + "<string>".utf8.count
            if CatalogDialect.isReverseDomainName(text[from...].prefix { $0 != UInt8(ascii: "<") }) { return true }
        }
        return false
    }

    /// Returns the position of the next occurrence of a text; `nil` if there is none.
    private func position(of sign: String, from start: Int = 0) -> Int? {
        let sign = Array(sign.utf8)
        guard let first = sign.first else { return nil }
        return text.withUnsafeBufferPointer { bytes in
            guard let base = bytes.baseAddress else { return nil }
            var next = start
            while next < bytes.count, let found = memchr(base + next, Int32(first), bytes.count - next) {
                let offset = UnsafeRawPointer(found) - UnsafeRawPointer(base)
                if bytes[offset...].starts(with: sign) { return offset }
                next = offset + 1
            }
            return nil
        }
    }

    private static func isSpace(_ byte: UInt8) -> Bool { byte <= UInt8(ascii: " ") }
}
