import Foundation
import Testing
import VitrineNetworking
import VitrineTestSupport

@testable import VitrineReceipts

/// Client of a server on this device, with a key that was made for it.
struct ServerAPISample {
    static let app = "com.example.app"
    static let issuer = "57246542-96fe-1a63-e053-0824d011072a"

    let key = AppStoreServerKey(newWithIdentifier: "ABC123DEFG", issuer: issuer)
    let clock = TestClock()

    func client(
        _ url: URL, transport: any HTTPTransport = DefaultTransport.patient, timeout: TimeInterval = 30
    ) -> AppStoreServerClient {
        client(.other(url), transport: transport, timeout: timeout)
    }

    func client(
        _ server: AppStoreServerClient.Server, transport: any HTTPTransport, timeout: TimeInterval = 30
    ) -> AppStoreServerClient {
        AppStoreServerClient(
            server: server, key: key, bundleIdentifier: Self.app, transport: transport, timeout: timeout,
            now: { [clock] in clock.now })
    }

    /// Returns the error of a request for a given answer of the server.
    func error(_ answer: LoopbackServer.Answer) async throws -> AppStoreServerError? {
        let server = try await LoopbackServer(answer)
        do throws(AppStoreServerError) {
            _ = try await client(server.url).subscriptionStatuses(of: "7")
            return nil
        } catch {
            return error
        }
    }
}

extension LoopbackServer.Request {
    /// Token of the header field `Authorization`.
    var token: ServerToken? {
        guard let field = headers["authorization"], field.hasPrefix("Bearer ") else { return nil }
        return ServerToken(String(field.dropFirst(7)))
    }

    var text: String { String(decoding: body, as: UTF8.self) }
}

extension LoopbackServer.Answer {
    /// A page of a transaction history.
    static func history(_ transactions: [String], revision: String, hasMore: Bool) -> Self {
        let list = transactions.map { "\"\($0)\"" }.joined(separator: ",")
        return .json(
            """
            {"revision": "\(revision)", "hasMore": \(hasMore), "bundleId": "com.example.app", "environment": "Sandbox",
             "signedTransactions": [\(list)]}
            """)
    }

    /// A page of a notification history.
    static func notifications(_ payloads: [String], token: String?) -> Self {
        let list = payloads.map { #"{"signedPayload": "\#($0)", "sendAttempts": []}"# }.joined(separator: ",")
        let position = token.map { #""hasMore": true, "paginationToken": "\#($0)""# } ?? #""hasMore": false"#
        return .json(#"{"notificationHistory": [\#(list)], \#(position)}"#)
    }
}

extension AppStoreServerPages {
    /// All pages, and the error that ends them.
    var all: (pages: [Page], error: AppStoreServerError?) {
        get async {
            var pages: [Page] = []
            do throws(AppStoreServerError) {
                for try await page in self { pages.append(page) }
                return (pages, nil)
            } catch {
                return (pages, error)
            }
        }
    }
}
