internal import SwiftASN1
internal import VitrineSupport

extension BER {
    /// Maximum number of ASN.1 nodes in a receipt. A receipt with twenty thousand purchases has fewer.
    fileprivate static let nodeLimit = 100_000

    /// Parses untrusted bytes in BER as an ASN.1 node, with a limited number of nodes.
    ///
    /// `BER.parse` uses about a hundred bytes of memory per node, but a node may have only two bytes of input. The
    /// nodes are therefore counted before parsing. `BER.parse` itself limits their depth.
    static func parseBounded(_ bytes: ArraySlice<UInt8>) throws -> ASN1Node {
        guard bytes.withUnsafeBytes(hasFewNodes) else { throw RejectionReason.tooManyNodes }
        return try parse(bytes)
    }

    /// Reads the elements of an ASN.1 `SET OF`, in any order, as BER allows.
    static func set<Element>(_ node: ASN1Node?, of element: (ASN1Node) throws -> Element) throws -> [Element] {
        guard let node else { throw ASN1Error.truncatedASN1Field() }
        guard node.identifier == .set, case .constructed(let nodes) = node.content else {
            throw ASN1Error.unexpectedFieldType(node.identifier)
        }
        return try nodes.map(element)
    }

    /// Returns `true` if the number of nodes is within the limit. Only the headers of the nodes are read (X.690,
    /// section 8.1), and they are not validated.
    static func hasFewNodes(_ bytes: UnsafeRawBufferPointer) -> Bool {
        // A node has at least two bytes.
        guard bytes.count > 2 * nodeLimit else { return true }
        var (index, count) = (0, 0)
        func next() -> UInt8? {
            guard index < bytes.count else { return nil }
            defer { index += 1 }
            return bytes[index]
        }
        while let identifier = next() {
            count += 1
            guard count <= nodeLimit else { return false }
            if identifier & 0x1F == 0x1F {
                while let octet = next(), octet & 0x80 != 0 {}
            }
            guard let first = next() else { return true }
            var length = Int(first)
            if first & 0x80 != 0 {
                length = 0
                for _ in 0..<(first & 0x7F) {
                    guard let octet = next() else { return true }
                    // A length beyond the end of the input is reduced to the length of the input.
                    length = min(length << 8 | Int(octet), bytes.count)
                }
            }
            let isConstructed = identifier & 0x20 != 0
            if !isConstructed { index = min(index + length, bytes.count) }
        }
        return true
    }
}

extension RejectionReason {
    static var tooManyNodes: RejectionReason { .malformed("the receipt has more than \(BER.nodeLimit) values") }
}
