package import Foundation
package import HTTPTypes
package import Hummingbird
internal import NIOCore

/// Reason why the body of a request is rejected.
package enum BodyRefusal: Error, Hashable {
    /// The body has more bytes than the limit. If `isRead` is `false`, the client may still be sending the body.
    case tooLarge(limit: Int, isRead: Bool)
    /// The body did not arrive in time.
    case late
    /// The body is not encoded correctly, or the client has broken it off.
    case broken
}

/// Error of the function that counts the parts of a body, as opposed to errors of the body.
private struct CountRefusal: Error {
    let error: any Error
}

extension Request {
    /// Maximum number of bytes above the limit that are read and discarded before a body is rejected. Many clients read
    /// the response only after they have sent the whole body.
    private static var discardLimit: Int { 16 * 1024 * 1024 }

    /// Reads the body of the request.
    ///
    /// - Parameters:
    ///   - limit: Maximum size in bytes.
    ///   - time: Maximum time to receive the whole body.
    ///   - count: Function that receives the size in bytes of each part of the body within the limit, before the part is
    ///     kept.
    /// - Throws: ``BodyRefusal``, `CancellationError`, or the error of `count`.
    package func readBody(
        upTo limit: Int, within time: TimeLimit = TimeLimit(.seconds(20)),
        counting count: @escaping @Sendable (Int) throws -> Void = { _ in }
    ) async throws -> Data {
        let (body, mostRead) = (body, limit + Self.discardLimit)
        if let length = headers[.contentLength].flatMap({ Int($0) }) {
            guard length > 0 else { return Data() }
            guard length <= mostRead else { throw BodyRefusal.tooLarge(limit: limit, isRead: false) }
        }
        let read = try await time.run {
            var (collected, size) = (Data(), 0)
            do {
                for try await part in body {
                    size += part.readableBytes
                    guard size <= mostRead else { throw BodyRefusal.tooLarge(limit: limit, isRead: false) }
                    guard size <= limit else { continue }
                    do { try count(part.readableBytes) } catch { throw CountRefusal(error: error) }
                    collected.append(contentsOf: part.readableBytesView)
                }
            } catch let refusal as BodyRefusal {
                throw refusal
            } catch let refusal as CountRefusal {
                throw refusal.error
            } catch {
                // Every error of the body is the client's: what the server does with it comes later.
                try Task.checkCancellation()
                throw BodyRefusal.broken
            }
            // The parts of a body may end without an error if the task is canceled.
            try Task.checkCancellation()
            guard size <= limit else { throw BodyRefusal.tooLarge(limit: limit, isRead: true) }
            return collected
        }
        guard let read else { throw BodyRefusal.late }
        return read
    }
}

extension HTTPFields {
    /// Bearer token in the header field `Authorization` (RFC 6750, section 2.1); `nil` if there is none.
    package var bearer: String? {
        let scheme = "bearer "
        guard let field = self[.authorization], field.utf8.count > scheme.utf8.count,
            field.prefix(scheme.count).lowercased() == scheme
        else { return nil }
        return String(field.dropFirst(scheme.count))
    }

    /// Value of a header field, by its name. The values of repeated fields are joined to one.
    package subscript(named name: String) -> String? {
        get { HTTPField.Name(name).flatMap { self[$0] } }
        set {
            guard let name = HTTPField.Name(name) else { return }
            self[name] = newValue
        }
    }
}
