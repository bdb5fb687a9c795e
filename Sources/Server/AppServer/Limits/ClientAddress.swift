internal import Foundation
internal import HTTPTypes
internal import Hummingbird
internal import Logging
internal import NIOCore
internal import VitrineHTTPServing
internal import VitrineSupport

/// Client address of a request, as a key for rate limits.
final class ClientAddress: Sendable {
    /// Number of proxies through which all requests come. Each adds the address of its client to `X-Forwarded-For`.
    private let proxies: Int
    private let logger: Logger
    private let hasIgnoredField = Locked(false)

    init(proxies: Int, logger: Logger) { (self.proxies, self.logger) = (proxies, logger) }

    /// Warnings for operators about how addresses are determined.
    var warnings: [String] {
        hasIgnoredField.withLock { $0 }
            ? ["X-Forwarded-For is ignored without behindProxy: all clients of a proxy share the limits of one"] : []
    }

    /// Returns the client address of a request, or the network for IPv6, as key of a rate limit.
    func name(of request: Request, _ context: ConnectionContext) -> String {
        let field = request.headers[named: "X-Forwarded-For"]
        if proxies > 0, let field {
            // Clients can send this field too; only the last elements come from the proxies.
            let addresses = field.split(separator: ",").suffix(proxies)
            if let first = addresses.first { return NetworkName.of(first.trimmingCharacters(in: .whitespaces)) }
        } else if field != nil {
            warnOnce()
        }
        return NetworkName.of(context.channel.remoteAddress?.ipAddress ?? "unknown")
    }

    private func warnOnce() {
        let isFirst = hasIgnoredField.withLock { isKnown in
            defer { isKnown = true }
            return !isKnown
        }
        guard isFirst else { return }
        for warning in warnings { logger.warning("\(warning)") }
    }
}
