internal import SwiftASN1

extension BER {
    /// More nodes than a receipt with twenty thousand purchases has.
    private static let nodeLimit = 100_000

    /// Parses bytes that nothing is known about.
    ///
    /// `BER.parse` keeps about a hundred bytes for a node, which may take up only two: the nodes are therefore counted
    /// before any is kept. Their depth it bounds by itself.
    static func parseBounded(_ bytes: ArraySlice<UInt8>) throws -> ASN1Node {
        guard hasFewNodes(bytes) else {
            throw RejectionReason(code: .malformed, detail: "it has more than \(nodeLimit) values")
        }
        return try parse(bytes)
    }

    /// Reads a SET OF; BER asks for no order.
    static func set<Element>(_ node: ASN1Node?, of element: (ASN1Node) throws -> Element) throws -> [Element] {
        guard let node else { throw ASN1Error.truncatedASN1Field() }
        guard node.identifier == .set, case .constructed(let nodes) = node.content else {
            throw ASN1Error.unexpectedFieldType(node.identifier)
        }
        return try nodes.map(element)
    }

    /// Goes from the header of each node to the next (X.690, section 8.1), as a parser does that finds no fault.
    private static func hasFewNodes(_ bytes: ArraySlice<UInt8>) -> Bool {
        var (index, count) = (bytes.startIndex, 0)
        func next() -> UInt8? {
            guard index < bytes.endIndex else { return nil }
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
                    // What is longer than the input is as good as endless.
                    length = min(length << 8 | Int(octet), bytes.count)
                }
            }
            let isConstructed = identifier & 0x20 != 0
            if !isConstructed { index = min(index + length, bytes.endIndex) }
        }
        return true
    }
}
