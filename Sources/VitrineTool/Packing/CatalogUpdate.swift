import Foundation
import HostedContent
import ProductCatalog
import PropertyList

/// Update of a product's content keys in a catalog; every other byte stays unchanged.
struct CatalogUpdate {
    private let product: String
    private let values: [(key: String, value: CatalogUpdateValue)]

    init(_ packed: ContentPacker.Packed, urls: [String]) {
        product = packed.manifest.productIdentifier
        values = [
            ("contentVersion", .string(packed.manifest.version)),
            ("contentURL", urls.count == 1 ? .string(urls[0]) : .strings(urls)),
            ("contentDigest", .string("sha256:\(packed.manifestDigest)")),
            ("contentLength", .integer(packed.manifestLength)),
        ]
    }

    /// - Throws: ``ToolFailure``: 1 if the catalog does not contain the product exactly once, is not XML in UTF-8, or
    ///   cannot be updated without other changes; 65 if it is not a property list; 66 or 74 if it cannot be read or
    ///   written.
    func write(to path: String) throws(ToolFailure) {
        let before = Array(try InputFile.read(path, limit: PropertyListLimits().size))
        let document = try read(before, path: path)
        let after = try updated(document, path: path)
        guard after != before else { return }
        let isUpdate = try? CatalogUpdateCheck(product: product, values: values)
            .isMet(from: document.root, to: PropertyListDocument(bytes: after).root)
        guard isUpdate == true else {
            throw refusal("\(product.quoted) cannot be updated without changing something else", path: path)
        }
        try OutputFile.write(after, to: path)
    }

    private func refusal(_ reason: String, path: String) -> ToolFailure {
        ToolFailure(status: .no, reason: "\(path): \(reason)")
    }

    private func read(_ bytes: [UInt8], path: String) throws(ToolFailure) -> PropertyListDocument {
        let document: PropertyListDocument
        do {
            document = try PropertyListDocument(bytes: bytes)
        } catch {
            let place = error.position.map { "\(path):\($0)" } ?? path
            throw ToolFailure(status: .unusableData, reason: "\(place): \(error.reason)")
        }
        guard document.format == .xml, document.source == bytes else {
            throw ToolFailure(status: .no, reason: "\(path) is not XML in UTF-8 and cannot be updated in place")
        }
        return document
    }

    private func updated(_ document: PropertyListDocument, path: String) throws(ToolFailure) -> [UInt8] {
        let bytes = document.source
        let declaration = try declaration(in: document, path: path)
        var edits: [(range: Range<Int>, text: String)] = []
        var added = ""
        for (key, value) in values {
            guard let element = value.element else {
                throw refusal("\(key) of \(product.quoted) contains characters that XML cannot represent", path: path)
            }
            let entries = declaration.entries.filter { $0.key == key }
            guard entries.count <= 1 else {
                throw refusal("\(key) occurs twice in \(product.quoted)", path: path)
            }
            if let present = entries.first?.value {
                guard let range = present.sourceRange, !present.hasRemarks(in: range) else {
                    throw refusal("\(key) of \(product.quoted) contains a comment, which would be lost", path: path)
                }
                edits.append((range, element))
            } else {
                added += spaceBeforeKey(declaration, bytes) + "<key>\(key)</key>"
                added += spaceBeforeValue(declaration, bytes) + element
            }
        }
        guard let end = declaration.entries.last?.value.sourceRange?.upperBound else {
            throw refusal("\(product.quoted) cannot be updated", path: path)
        }
        edits.append((end..<end, added))
        var updated: [UInt8] = []
        var position = 0
        // An addition goes after a value that ends at its position.
        edits.sort { ($0.range.upperBound, -$0.range.count) < ($1.range.upperBound, -$1.range.count) }
        for (range, text) in edits {
            updated += bytes[position..<range.lowerBound] + Array(text.utf8)
            position = range.upperBound
        }
        return updated + bytes[position...]
    }

    /// Returns the product's dictionary.
    private func declaration(
        in document: PropertyListDocument, path: String
    ) throws(ToolFailure) -> PropertyListValue {
        let found = document.root.catalogProducts.filter { $0.isProduct(product) }
        guard let declaration = found.first, found.count == 1 else {
            throw ToolFailure(
                status: .no,
                reason: found.isEmpty
                    ? "\(path) has no dictionary of \(product.quoted)" : "\(path) contains \(product.quoted) twice")
        }
        return declaration
    }

    /// Returns the white space before the last key, which is inserted before a new key too.
    private func spaceBeforeKey(_ declaration: PropertyListValue, _ bytes: [UInt8]) -> String {
        declaration.entries.last.map { space(before: $0.value.precedingKey, bytes) } ?? ""
    }

    private func spaceBeforeValue(_ declaration: PropertyListValue, _ bytes: [UInt8]) -> String {
        declaration.entries.last.map { space(before: $0.value, bytes) } ?? ""
    }

    private func space(before value: PropertyListValue, _ bytes: [UInt8]) -> String {
        guard let range = value.sourceRange, let whole = value.sourceRangeWithIndentation else { return "" }
        return String(decoding: bytes[whole.lowerBound..<range.lowerBound], as: UTF8.self)
    }
}
