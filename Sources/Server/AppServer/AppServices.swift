package import Foundation
package import Logging
package import VitrineAppServerRecords
package import VitrineHTTPServing

/// Services that the routes of a server share.
package struct AppServices: Sendable {
    package let records: CustomerRecords
    /// Folders with hosted content, by app name.
    package let contentFolders: [String: URL]
    let openFile: FileOpening
    package let catalogs: PublishedCatalogs
    package let operators: OperatorAccounts
    /// Wall clock of the server.
    package let now: @Sendable () -> Date
    package let logger: Logger
    let limits: ServiceLimits
    let refusedOperators: RefusedOperators
    let addresses: ClientAddress
    package let streams: CustomerStreams
    package let readiness: Readiness
    package let checks: ServerChecks
    package let metrics: PrometheusMetrics
    package let requests: RequestMetrics
    /// Maximum time to receive the body of a request.
    package let bodyTime: TimeLimit
}
