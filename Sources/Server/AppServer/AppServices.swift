package import Foundation
package import Logging
package import VitrineAppServerRecords

/// Parts of a server that its routes share.
package struct AppServices: Sendable {
    package let records: CustomerRecords
    /// Folders with the hosted content of the apps, by the names of the apps.
    package let contentFolders: [String: URL]
    package let catalogs: PublishedCatalogs
    package let operators: OperatorAccounts
    /// Clock of the machine.
    package let now: @Sendable () -> Date
    package let logger: Logger
    /// Limit of the enrollments of an address.
    let enrollments: RequestLimits
    /// Limit of the writes of a device.
    let writes: RequestLimits
    let addresses: ClientAddress
    package let streams: CustomerStreams
    package let readiness: Readiness
    package let checks: ServerChecks
    package let metrics: PrometheusMetrics
    package let requests: RequestMetrics
    /// Maximum time for the body of a request.
    package let bodyTime: Duration
}
