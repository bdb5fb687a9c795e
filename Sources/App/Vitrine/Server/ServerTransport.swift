internal import Foundation
internal import HTTPTypes
internal import VitrineDeviceExchange
internal import VitrineNetworking
internal import VitrineSupport

/// Shared storage on the app's own server, through which the devices of a customer exchange facts. The server takes
/// part like a device of the customer, and lets only one device at a time lock the storage.
final class ServerTransport: ExchangeTransport {
    private let session: ServerSession
    /// Customer whose key seals the documents.
    private let customer: UUID
    /// Identifier of the exclusive lock that this device holds at the server; `nil` for none.
    private let lock = Locked<String?>(nil)

    /// Maximum number of documents in a list, and maximum length of the list in bytes.
    private static let (mostNames, longestList) = (100_000, 32 * 1_024 * 1_024)

    init(_ session: ServerSession, customer: UUID) { (self.session, self.customer) = (session, customer) }

    func names() async throws(ExchangeError) -> [String] {
        struct Reply: Decodable {
            let names: [String]
        }
        var request = ServerClient.Request(.get, "v1", "me", "documents")
        request.replyLimit = Self.longestList
        do throws(AppServerError) {
            let names = try await session.send(request, for: customer).value(Reply.self, "list of documents").names
            guard names.count <= Self.mostNames else {
                throw AppServerError(code: .format, reason: "the server lists more than \(Self.mostNames) documents")
            }
            return names
        } catch {
            throw ExchangeError(error)
        }
    }

    func document(named name: String) async throws(ExchangeError) -> Data? {
        var request = ServerClient.Request(.get, "v1", "me", "documents", name)
        request.fields[.accept] = "application/octet-stream"
        // One byte more than a document may have, so that a larger document is refused because of its size.
        request.replyLimit = DeviceDocument.sizeLimit + 1
        do throws(AppServerError) {
            return try await session.send(request, for: customer).body
        } catch {
            if error.code == .notFound { return nil }
            throw ExchangeError(error)
        }
    }

    func store(_ document: Data, named name: String) async throws(ExchangeError) {
        var request = ServerClient.Request(.put, "v1", "me", "documents", name)
        request.fields[.contentType] = "application/octet-stream"
        if let lock = lock.withLock({ $0 }) { request.setExchangeLock(lock) }
        request.body = document
        do throws(AppServerError) {
            do throws(AppServerError) {
                _ = try await session.send(request, for: customer)
            } catch {
                // A document may be sealed with an outdated key, because its customer was merged with another customer.
                guard error.code == .refused, try await session.renewed().customer != customer else { throw error }
                throw .customerChanged
            }
        } catch {
            throw ExchangeError(error)
        }
    }

    func exclusively<Value: Sendable>(
        _ body: @Sendable () async throws(ExchangeError) -> Value
    ) async throws(ExchangeError) -> Value {
        let id = try await acquireExchangeLock()
        lock.withLock { $0 = id }
        do throws(ExchangeError) {
            let value = try await body()
            await releaseExchangeLock(id)
            return value
        } catch {
            await releaseExchangeLock(id)
            throw error
        }
    }

    private func acquireExchangeLock() async throws(ExchangeError) -> String {
        struct Reply: Decodable {
            let lock: String
        }
        do throws(AppServerError) {
            let id = try await session.send(ServerClient.Request(.post, "v1", "me", "exchange-lock"), for: customer)
                .value(Reply.self, "answer about the exchange lock").lock
            guard (1...100).contains(id.utf8.count), id.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
                throw .format("answer about the exchange lock")
            }
            return id
        } catch {
            throw ExchangeError(error)
        }
    }

    /// Releases the exclusive lock. If the server cannot be reached, the lock expires after a minute.
    private func releaseExchangeLock(_ id: String) async {
        lock.withLock { $0 = nil }
        var request = ServerClient.Request(.delete, "v1", "me", "exchange-lock")
        request.setExchangeLock(id)
        do throws(ExchangeError) {
            try await send(request)
        } catch {
            // The error is ignored: the facts of the decision are stored, and the server ends the decision after a
            // minute.
        }
    }

    private func send(_ request: ServerClient.Request) async throws(ExchangeError) {
        do throws(AppServerError) {
            _ = try await session.send(request, for: customer)
        } catch {
            throw ExchangeError(error)
        }
    }
}

extension ServerClient.Request {
    /// Adds the identifier of the exclusive lock that the device holds.
    fileprivate mutating func setExchangeLock(_ id: String) {
        if let field = HTTPField.Name("Vitrine-Exchange-Lock") { fields[field] = id }
    }
}
