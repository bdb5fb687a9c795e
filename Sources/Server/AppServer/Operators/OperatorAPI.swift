internal import HTTPTypes
internal import VitrineAppServerAPI
internal import VitrineAppServerRecords

/// Endpoints for operators, and for monitoring.
enum OperatorAPI {
    /// Maximum size of the body in bytes: the largest catalog in Base64, with its signature.
    private static let publicationLimit = 24 * 1024 * 1024
    private static let read: Set<WireErrorCode> = [.forbidden, .unavailable]

    // MARK: Customers

    static let account = Endpoint<NoBody, OperatorReply>(
        "account", .get, "/v1/admin/me", for: .operator, errors: [.forbidden])
    static let findCustomers = Endpoint<NoBody, CustomersReply>(
        "findCustomers", .get, "/v1/admin/customers", for: .operator, errors: read)
    static let customer = Endpoint<NoBody, CustomerDetail>(
        "customer", .get, "/v1/admin/customers/{id}", for: .operator, errors: read.union([.notFound]))
    static let facts = Endpoint<NoBody, FactsReply>(
        "facts", .get, "/v1/admin/customers/{id}/facts", for: .operator, errors: read.union([.notFound]))
    static let why = Endpoint<NoBody, ReasonsReply>(
        "why", .get, "/v1/admin/customers/{id}/why/{product}", for: .operator, errors: read.union([.notFound]))
    static let export = Endpoint<NoBody, FileBody>(
        "export", .get, "/v1/admin/customers/{id}/export", for: .operator, errors: read.union([.notFound]))
    static let grant = Endpoint<GrantBody, ChangeEvent>(
        "grant", .post, "/v1/admin/customers/{id}/grants", for: .operator, status: .created,
        errors: read.union([.notFound, .conflict]))
    static let revoke = Endpoint<RevocationBody, ChangeEvent>(
        "revoke", .post, "/v1/admin/customers/{id}/revocations", for: .operator, status: .created,
        errors: read.union([.notFound, .conflict]))
    static let deposit = Endpoint<DepositBody, ChangeEvent>(
        "deposit", .post, "/v1/admin/customers/{id}/deposits", for: .operator, status: .created,
        errors: read.union([.notFound, .conflict]))

    static let removeDeviceOfCustomer = Endpoint<RemovalBody, NoBody>(
        "removeDeviceOfCustomer", .post, "/v1/admin/customers/{id}/removals", for: .operator, status: .noContent,
        errors: read.union([.invalid, .notFound, .conflict]))
    static let transfer = Endpoint<TransferBody, TransferResult>(
        "transfer", .post, "/v1/admin/customers/{id}/transfers", for: .operator, status: .created,
        errors: read.union([.invalid, .notFound, .conflict]))
    static let erase = Endpoint<ErasureBody, NoBody>(
        "erase", .post, "/v1/admin/customers/{id}/erasure", for: .operator, status: .noContent,
        errors: read.union([.invalid, .notFound, .conflict]))

    // MARK: Notifications and catalogs

    static let notifications = Endpoint<NoBody, NotificationsReply>(
        "notifications", .get, "/v1/admin/notifications", for: .operator, errors: read)
    static let notifyAgain = Endpoint<NoBody, NotificationResult>(
        "notifyAgain", .post, "/v1/admin/notifications/{app}/{id}/again", for: .operator,
        errors: read.union([.notFound]))
    static let publish = Endpoint<PublicationBody, PublicationReply>(
        "publish", .post, "/v1/admin/catalogs/{app}", for: .operator, bodyLimit: publicationLimit,
        status: .created, errors: read.union([.notFound, .conflict]))

    // MARK: Page

    static let page = Endpoint<NoBody, FileBody>("page", .get, "/operator")
    static let style = Endpoint<NoBody, FileBody>("style", .get, "/operator/operator.css")
    static let script = Endpoint<NoBody, FileBody>("script", .get, "/operator/operator.js")

    // MARK: Monitoring

    static let live = Endpoint<NoBody, Health>("live", .get, "/health/live")
    static let ready = Endpoint<NoBody, Health>("ready", .get, "/health/ready", errors: [.unavailable])
    static let metrics = Endpoint<NoBody, FileBody>("metrics", .get, "/metrics", errors: [.unavailable])
}
