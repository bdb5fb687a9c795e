internal import Crypto
internal import FileSystem
internal import Foundation

/// SHA-256 of content, as manifests write it.
enum ContentDigest {
    /// It is 64 hexadecimal digits in small letters.
    static func isDigest(_ text: String) -> Bool {
        text.utf8.count == 64
            && text.utf8.allSatisfy { byte in
                UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte || UInt8(ascii: "a")...UInt8(ascii: "f") ~= byte
            }
    }

    static func text(_ digest: some Sequence<UInt8>) -> String {
        let digits = Array("0123456789abcdef".utf8)
        return String(decoding: digest.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    }

    /// The digest and the length of a file, read block by block.
    static func of(_ file: URL) throws(ContentError) -> (digest: String, length: Int) {
        var (hash, length) = (SHA256(), 0)
        try FileBlocks.read(file) { (block) throws(ContentError) in
            hash.update(data: block)
            length += block.count
        }
        return (text(hash.finalize()), length)
    }
}
