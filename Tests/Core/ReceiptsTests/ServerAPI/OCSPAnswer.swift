import Foundation
import SwiftASN1
import X509

/// Content of an OCSP response. Its signature is verified by other implementations.
struct OCSPAnswer {
    enum Status: Int {
        case successful = 0
        case malformedRequest = 1
        case internalError = 2
        case unauthorized = 6
    }

    struct Single: Hashable {
        /// Complete identifier of the certificate.
        let certificate: [UInt8]
        let isGood: Bool
        let thisUpdate: String
        let nextUpdate: String
    }

    let status: Status
    private(set) var responderKeyHash: [UInt8] = []
    private(set) var producedAt = ""
    private(set) var singles: [Single] = []
    private(set) var extensions: [Certificate.Extension] = []
    /// Certificates beside the signature.
    private(set) var certificates: [Certificate] = []

    init(_ data: Data) throws {
        let (status, bytes) = try DER.sequence(DER.parse(Array(data)), identifier: .sequence) { nodes in
            let status = try Int(derEncoded: nodes.next().unwrapped, withIdentifier: .enumerated)
            let bytes = try DER.optionalExplicitlyTagged(&nodes, tagNumber: 0, tagClass: .contextSpecific) { node in
                try DER.sequence(node, identifier: .sequence) { nodes in
                    _ = try ASN1ObjectIdentifier(derEncoded: &nodes)
                    return try ASN1OctetString(derEncoded: &nodes).bytes
                }
            }
            return (Status(rawValue: status), bytes)
        }
        guard let status, (status == .successful) == (bytes != nil) else { throw CocoaError(.coderReadCorrupt) }
        self.status = status
        guard let bytes else { return }
        try DER.sequence(DER.parse(bytes), identifier: .sequence) { nodes in
            try DER.sequence(nodes.next().unwrapped, identifier: .sequence) { try read(&$0) }
            // The algorithm and the signature.
            for _ in 0..<2 { _ = try nodes.next().unwrapped }
            certificates =
                try DER.optionalExplicitlyTagged(&nodes, tagNumber: 0, tagClass: .contextSpecific) {
                    try DER.sequence(of: Certificate.self, identifier: .sequence, rootNode: $0)
                } ?? []
        }
    }

    private mutating func read(_ nodes: inout ASN1NodeCollection.Iterator) throws {
        responderKeyHash = try DER.explicitlyTagged(&nodes, tagNumber: 2, tagClass: .contextSpecific) {
            Array(try ASN1OctetString(derEncoded: $0).bytes)
        }
        producedAt = try Self.time(nodes.next().unwrapped)
        singles = try DER.sequence(nodes.next().unwrapped, identifier: .sequence) { nodes in
            var singles: [Single] = []
            while let node = nodes.next() { singles.append(try Self.single(node)) }
            return singles
        }
        extensions =
            try DER.optionalExplicitlyTagged(&nodes, tagNumber: 1, tagClass: .contextSpecific) {
                try DER.sequence(of: Certificate.Extension.self, identifier: .sequence, rootNode: $0)
            } ?? []
    }

    private static func single(_ node: ASN1Node) throws -> Single {
        try DER.sequence(node, identifier: .sequence) { nodes in
            let certificate = Array(try nodes.next().unwrapped.encodedBytes)
            let status = try nodes.next().unwrapped.identifier
            return Single(
                certificate: certificate,
                isGood: status == ASN1Identifier(tagWithNumber: 0, tagClass: .contextSpecific),
                thisUpdate: try time(nodes.next().unwrapped),
                nextUpdate: try DER.explicitlyTagged(&nodes, tagNumber: 0, tagClass: .contextSpecific, time))
        }
    }

    private static func time(_ node: ASN1Node) throws -> String {
        String(decoding: try ASN1OctetString(derEncoded: node, withIdentifier: .generalizedTime).bytes, as: UTF8.self)
    }
}

extension ASN1Node? {
    fileprivate var unwrapped: ASN1Node {
        get throws {
            guard let self else { throw CocoaError(.coderReadCorrupt) }
            return self
        }
    }
}
