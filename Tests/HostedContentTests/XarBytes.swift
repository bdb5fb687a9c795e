import CZlib
import Foundation

/// A xar that is put together byte by byte, and may say anything.
struct XarBytes {
    /// What is listed, as XML.
    var files: String
    /// What is stored, one after the other.
    var heap: [UInt8] = []
    var declaration = #"<?xml version="1.0" encoding="UTF-8"?>"#
    var version = 1
    /// What the header says instead.
    var storedLength: Int?
    var length: Int?
    /// The whole table of contents instead.
    var contents: [UInt8]?

    init(_ files: String, heap: [UInt8] = []) { (self.files, self.heap) = (files, heap) }

    func with(_ change: (inout XarBytes) -> Void) -> XarBytes {
        var xar = self
        change(&xar)
        return xar
    }

    var bytes: [UInt8] {
        let contents = contents ?? Array("\(declaration)\n<xar><toc>\(files)</toc></xar>\n".utf8)
        let stored = Self.deflated(contents)
        return Array("xar!".utf8) + Self.number(28, 2) + Self.number(version, 2)
            + Self.number(storedLength ?? stored.count, 8) + Self.number(length ?? contents.count, 8)
            + Self.number(0, 4) + stored + heap
    }

    private static func number(_ value: Int, _ count: Int) -> [UInt8] { ZipBytes.number(value, count).reversed() }

    static func deflated(_ bytes: [UInt8]) -> [UInt8] {
        var length = compressBound(UInt(bytes.count))
        var deflated = [UInt8](repeating: 0, count: Int(length))
        precondition(compress2(&deflated, &length, bytes, UInt(bytes.count), 9) == Z_OK)
        return Array(deflated.prefix(Int(length)))
    }

    /// An element for something that is listed.
    static func file(_ name: String, type: String = "file", data: String = "", inside: String = "") -> String {
        "<file><name>\(name)</name><type>\(type)</type><mode>0644</mode>\(data)\(inside)</file>"
    }

    static func data(
        offset: Int, stored: Int, length: Int, encoding: String = "application/octet-stream", checksum: String = ""
    ) -> String {
        "<data><length>\(stored)</length><offset>\(offset)</offset><size>\(length)</size>"
            + "<encoding style=\"\(encoding)\"/>\(checksum)</data>"
    }
}
