internal import Foundation
internal import HTTPTypes
internal import VitrineAppServerAPI
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

    /// Maximum number of documents in a list.
    private static let mostNames = 100_000

    init(_ session: ServerSession, customer: UUID) { (self.session, self.customer) = (session, customer) }

    func names() async throws(ExchangeError) -> [String] {
        do throws(AppServerError) {
            let names = try await session.send(ServerClient.Request(AppServerAPI.documentNames), for: customer).names
            guard names.count <= Self.mostNames else {
                throw AppServerError(code: .format, reason: "the server lists more than \(Self.mostNames) documents")
            }
            return names
        } catch {
            throw ExchangeError(error)
        }
    }

    func document(named name: String) async throws(ExchangeError) -> Data? {
        do throws(AppServerError) {
            return try await session.send(ServerClient.Request(AppServerAPI.document, [name]), for: customer).bytes
        } catch {
            if error.code == .notFound { return nil }
            throw ExchangeError(error)
        }
    }

    func store(_ document: Data, named name: String) async throws(ExchangeError) {
        var request = ServerClient.Request(
            AppServerAPI.storeDocument, name, body: BytesBody(encoded: document))
        request.fields[.exchangeLock] = lock.withLock { $0 }
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
            await endExchangeLock(id)
            return value
        } catch {
            await endExchangeLock(id)
            throw error
        }
    }

    private func acquireExchangeLock() async throws(ExchangeError) -> String {
        do throws(AppServerError) {
            let request = ServerClient.Request(AppServerAPI.acquireExchangeLock)
            let id = try await session.send(request, for: customer).lock
            guard (1...100).contains(id.utf8.count), id.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
                throw .format(request.endpoint.name)
            }
            return id
        } catch {
            throw ExchangeError(error)
        }
    }

    /// Releases the exclusive lock, even if the exchange was canceled: other devices would have to wait for a minute.
    private func endExchangeLock(_ id: String) async { await Task { await releaseExchangeLock(id) }.value }

    /// Releases the exclusive lock. If the server cannot be reached, the lock expires after a minute.
    private func releaseExchangeLock(_ id: String) async {
        lock.withLock { $0 = nil }
        var request = ServerClient.Request(AppServerAPI.releaseExchangeLock)
        request.fields[.exchangeLock] = id
        do throws(AppServerError) {
            _ = try await session.send(request, for: customer)
        } catch {
            // The error is ignored: the facts of the decision are stored, and the server ends the decision after a
            // minute.
        }
    }
}
