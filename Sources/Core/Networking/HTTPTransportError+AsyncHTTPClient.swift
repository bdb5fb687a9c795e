internal import VitrineSupport

#if os(Linux)
    internal import AsyncHTTPClient
    internal import Foundation
    internal import NIOCore
    internal import NIOHTTP1
    internal import NIOHTTPCompression
    internal import NIOPosix
    internal import NIOSSL
    internal import VitrineFileSystem

    extension HTTPTransportError {
        /// Creates the transport error from an error of AsyncHTTPClient, SwiftNIO or the system.
        init(_ error: any Error) {
            let (code, reason): (Code, String) =
                switch error {
                case let error as HTTPClientError
                where [.connectTimeout, .getConnectionFromPoolTimeout, .tlsHandshakeTimeout].contains(error):
                    (.timeout, "the connection timed out")
                case let error as HTTPClientError where error == .remoteConnectionClosed:
                    (.connection, Self.endedEarly)
                case HTTPParserError.invalidEOFState:
                    (.connection, Self.endedEarly)
                case is CancellationError:
                    (.cancelled, "the request was cancelled")
                case let error as NIOConnectionError:
                    (.connection, "could not connect to \(error.host), port \(error.port): \(Self.cause(error))")
                case is NIOSSLError, is NIOSSLExtraError, is BoringSSLError:
                    (.connection, "the TLS connection failed: \(Self.tlsCause(error))")
                case let error as IOError:
                    (.connection, "the connection failed: \(Self.systemCause(error))")
                case HTTPParserError.headerOverflow:
                    (.connection, "the header of the reply is too long")
                case is HTTPParserError:
                    (.connection, "the reply is not valid HTTP")
                case is NIOHTTPDecompression.DecompressionError, is NIOHTTPDecompression.ExtraDecompressionError:
                    (.connection, "the reply's gzip data is corrupt")
                case ChannelError.connectTimeout:
                    (.timeout, "the connection timed out")
                case is ChannelError:
                    (.connection, Self.endedEarly)
                case is SocketAddressError, is SocketAddressError.UnknownHost:
                    (.connection, "no IP address of the host was found")
                case let error as HTTPClientError:
                    (.connection, "the request failed: \(error.shortDescription.lowercased())")
                default:
                    (.connection, "the connection failed for an unknown reason (\(type(of: error)))")
                }
            self.init(code: code, reason: reason)
        }

        private static let endedEarly = "the connection closed before the reply was complete"

        /// Returns BoringSSL's name of an error, such as "certificate verify failed".
        private static func tlsCause(_ error: any Error) -> String {
            if let error = error as? NIOSSLExtraError, error == .failedToValidateHostname {
                return "the certificate is for another host"
            }
            if case NIOSSLError.uncleanShutdown = error { return "the server closed it without notice" }
            guard let name = "\(error)".firstMatch(of: /OPENSSL_internal:([A-Z0-9_]+)/)?.1 else {
                return "the certificate or the protocol of the server is not accepted"
            }
            return name.lowercased().replacing("_", with: " ")
        }

        private static func systemCause(_ error: IOError) -> String { SystemReason.of(error.errnoCode) }

        private static func cause(_ error: NIOConnectionError) -> String {
            let cause = error.connectionErrors.first?.error ?? error.dnsAError ?? error.dnsAAAAError
            if let cause = cause as? IOError { return systemCause(cause) }
            if case ChannelError.connectTimeout? = cause { return SystemReason.of(ETIMEDOUT) }
            return "no IP address of the host was found"
        }
    }
#endif
