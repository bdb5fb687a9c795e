import Foundation
import HostedContent
import ProductCatalog
import PropertyList

/// Writes into a catalog where a product's content is, and leaves every other byte as it is.
struct CatalogUpdate {
    private let product: String
    /// The keys and the elements that they get.
    private let values: [(key: String, element: String)]

    init(_ packed: ContentPacker.Packed, urls: [String]) {
        product = packed.manifest.productIdentifier
        let addresses = urls.map { "<string>\($0.escapedForXML)</string>" }
        values = [
            ("contentVersion", "<string>\(packed.manifest.version.escapedForXML)</string>"),
            ("contentURL", addresses.count == 1 ? addresses[0] : "<array>\(addresses.joined())</array>"),
            ("contentDigest", "<string>sha256:\(packed.manifestDigest)</string>"),
            ("contentLength", "<integer>\(packed.manifestLength)</integer>"),
        ]
    }

    /// - Throws: ``ToolFailure``: 1 for a catalog in which the product does not stand just once, or that is no XML in
    ///   UTF-8; 65 for what is no property list, 66 or 74 where it cannot be read or written.
    func write(to path: String) throws(ToolFailure) {
        let before = Array(try InputFile.read(path, limit: PropertyListLimits().size))
        let after = try updated(before, path: path)
        if after != before { try OutputFile.write(after, to: path) }
    }

    private func updated(_ bytes: [UInt8], path: String) throws(ToolFailure) -> [UInt8] {
        func refusal(_ reason: String) -> ToolFailure { ToolFailure(status: .no, reason: "\(path): \(reason)") }
        let declaration = try declaration(in: bytes, path: path)
        var edits: [(range: Range<Int>, text: String)] = []
        var added = ""
        for (key, element) in values {
            let entries = declaration.entries.filter { $0.key == key }
            guard entries.count <= 1 else { throw refusal("\(key) stands there twice in \(product.quoted)") }
            if let value = entries.first?.value {
                guard let range = value.sourceRange, !value.hasRemarks(in: range) else {
                    throw refusal("\(key) of \(product.quoted) holds a comment, which would be lost")
                }
                edits.append((range, element))
            } else {
                added += spaceBeforeKey(declaration, bytes) + "<key>\(key)</key>"
                added += spaceBeforeValue(declaration, bytes) + element
            }
        }
        guard let end = declaration.entries.last?.value.sourceRange?.upperBound else {
            throw refusal("\(product.quoted) cannot be changed")
        }
        edits.append((end..<end, added))
        var updated: [UInt8] = []
        var position = 0
        // What is added stands behind a value that ends where it begins.
        edits.sort { ($0.range.upperBound, -$0.range.count) < ($1.range.upperBound, -$1.range.count) }
        for (range, text) in edits {
            updated += bytes[position..<range.lowerBound] + Array(text.utf8)
            position = range.upperBound
        }
        return updated + bytes[position...]
    }

    /// The product's dictionary.
    private func declaration(in bytes: [UInt8], path: String) throws(ToolFailure) -> PropertyListValue {
        let document: PropertyListDocument
        do {
            document = try PropertyListDocument(bytes: bytes)
        } catch {
            let place = error.position.map { "\(path):\($0)" } ?? path
            throw ToolFailure(status: .unusableData, reason: "\(place): \(error.reason)")
        }
        guard document.format == .xml, document.source == bytes else {
            throw ToolFailure(status: .no, reason: "\(path) is no XML in UTF-8, and cannot be updated in place")
        }
        let products = document.root.kind == .array ? document.root : document.root["products"] ?? document.root
        let found = products.elements.filter { $0["productIdentifier"]?.string == product }
        guard let declaration = found.first, found.count == 1 else {
            throw ToolFailure(
                status: .no,
                reason: found.isEmpty
                    ? "\(path) has no product \(product.quoted) with keys" : "\(path) has \(product.quoted) twice")
        }
        return declaration
    }

    /// The white space that stands before the last key, and so before a new one.
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

extension String {
    fileprivate var escapedForXML: String {
        replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
    }
}
