package import Foundation
import NIOSSL

/// Certificate of a server with its key, made by `openssl`.
package struct ServerCertificate: Sendable {
    /// File with the certificate in PEM.
    package let file: URL
    private let key: URL

    /// - Parameter name: Subject alternative name, such as `IP:127.0.0.1`.
    package init(for name: String, in folder: TemporaryFolder) throws {
        (file, key) = (folder["certificate.pem"], folder["key.pem"])
        let result = try PeerTool.openSSL.run(
            "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2",
            "-subj", "/CN=Loopback", "-addext", "subjectAltName=\(name)", "-keyout", key.path(percentEncoded: false),
            "-out", file.path(percentEncoded: false))
        guard result.status == 0 else { throw CocoaError(.fileWriteUnknown) }
    }

    var context: NIOSSLContext {
        get throws {
            try NIOSSLContext(
                configuration: .makeServerConfiguration(
                    certificateChain: NIOSSLCertificate.fromPEMFile(file.path(percentEncoded: false)).map {
                        .certificate($0)
                    },
                    privateKey: .privateKey(NIOSSLPrivateKey(file: key.path(percentEncoded: false), format: .pem))))
        }
    }
}
