internal import Foundation
internal import HTTPTypes
internal import VitrineStoreSimulator

/// Request of the app's server, with the values that an operation uses.
struct OperationRequest: Sendable {
    /// Values of the parameters in the path, in their order.
    let parameters: [String]
    let query: ServerQuery
    let body: Data
}

/// Operation of the App Store Server API.
package struct EmulatorOperation: Sendable {
    let method: HTTPRequest.Method
    /// Path template, in which `{name}` matches one segment of any value.
    let path: String
    /// Requests per second that Apple permits in production; `nil` if Apple documents no limit.
    let rate: Int?
    /// Status of the response to a successful request.
    let status: HTTPResponse.Status
    let run: @Sendable (SimulatedServerAPI, OperationRequest) async throws -> (any Encodable & Sendable)?

    private init(
        _ method: HTTPRequest.Method, _ path: String, rate: Int?, status: HTTPResponse.Status = .ok,
        _ run: @escaping @Sendable (SimulatedServerAPI, OperationRequest) async throws -> (any Encodable & Sendable)?
    ) {
        (self.method, self.path, self.rate, self.status, self.run) = (method, path, rate, status, run)
    }

    /// Name of the operation, with method and path, such as `GET /inApps/v1/lookup/{orderId}`.
    package var name: String { "\(method.rawValue) \(path)" }

    /// `true` if the operation changes nothing, and its response depends only on the state of the store.
    var onlyReads: Bool { method == .get && !path.contains("/notifications/") }
}

extension EmulatorOperation {
    /// All operations, including those for retention messages.
    package static let all = transactions + histories + subscriptions + notifications + messages

    private static let transactions = [
        EmulatorOperation(.get, "/inApps/v1/transactions/{transactionId}", rate: 50) { api, request in
            try await api.transaction(request.parameters[0])
        },
        EmulatorOperation(.get, "/inApps/v1/transactions/appTransactions/{anyTransactionId}", rate: 50) {
            api, request in
            try await api.appTransaction(request.parameters[0])
        },
        EmulatorOperation(.get, "/inApps/v1/lookup/{orderId}", rate: 10) { api, request in
            try await api.order(request.parameters[0])
        },
        EmulatorOperation(
            .put, "/inApps/v1/transactions/{originalTransactionId}/appAccountToken", rate: 20
        ) { api, request in
            try await api.setAccountToken(request.parameters[0], ServerBody(request.body))
            return nil
        },
        EmulatorOperation(.post, "/inApps/v1/transactions/{transactionId}/finish", rate: 50) { api, request in
            try await api.finish(request.parameters[0])
            return nil
        },
        EmulatorOperation(
            .put, "/inApps/v1/transactions/consumption/{transactionId}", rate: 50, status: .accepted
        ) { api, request in
            try await api.reportConsumption(request.parameters[0], ServerBody(request.body), version: .v1)
            return nil
        },
        EmulatorOperation(
            .put, "/inApps/v2/transactions/consumption/{transactionId}", rate: 50, status: .accepted
        ) { api, request in
            try await api.reportConsumption(request.parameters[0], ServerBody(request.body), version: .v2)
            return nil
        },
    ]

    private static let histories = [
        EmulatorOperation(.get, "/inApps/v1/history/{anyTransactionId}", rate: 50) { api, request in
            try await api.history(request.parameters[0], request.query, version: .v1)
        },
        EmulatorOperation(.get, "/inApps/v2/history/{anyTransactionId}", rate: 50) { api, request in
            try await api.history(request.parameters[0], request.query, version: .v2)
        },
        EmulatorOperation(.get, "/inApps/v1/refund/lookup/{originalTransactionId}", rate: 10) { api, request in
            try await api.latestRefunds(request.parameters[0])
        },
        EmulatorOperation(.get, "/inApps/v2/refund/lookup/{anyTransactionId}", rate: 10) { api, request in
            try await api.refundHistory(request.parameters[0], request.query)
        },
    ]

    private static let subscriptions = [
        EmulatorOperation(.get, "/inApps/v1/subscriptions/{anyTransactionId}", rate: 50) { api, request in
            try await api.statuses(request.parameters[0], request.query)
        },
        EmulatorOperation(.put, "/inApps/v1/subscriptions/extend/{originalTransactionId}", rate: 20) { api, request in
            try await api.extend(request.parameters[0], ServerBody(request.body))
        },
        EmulatorOperation(.post, "/inApps/v1/subscriptions/extend/mass", rate: 1) { api, request in
            try await api.extendAll(ServerBody(request.body))
        },
        EmulatorOperation(
            .get, "/inApps/v1/subscriptions/extend/mass/{productId}/{requestIdentifier}", rate: nil
        ) { api, request in
            try await api.massExtensionStatus(request.parameters[0], request.parameters[1])
        },
    ]

    private static let notifications = [
        EmulatorOperation(.post, "/inApps/v1/notifications/history", rate: 50) { api, request in
            try await api.notificationHistory(request.query, ServerBody(request.body))
        },
        EmulatorOperation(.post, "/inApps/v1/notifications/test", rate: 1) { api, _ in
            try await api.requestTestNotification()
        },
        EmulatorOperation(.get, "/inApps/v1/notifications/test/{testNotificationToken}", rate: 1) { api, request in
            try await api.testNotificationStatus(request.parameters[0])
        },
    ]

    /// Operations for retention messages, which only apps with a permission of Apple can use. The store gives no app
    /// this permission. Apple's response to an app without the permission is not documented.
    private static let messages: [EmulatorOperation] = {
        let paths: [(HTTPRequest.Method, String)] = [
            (.put, "image/{imageIdentifier}"), (.delete, "image/{imageIdentifier}"), (.get, "image/list"),
            (.put, "message/{messageIdentifier}"), (.delete, "message/{messageIdentifier}"), (.get, "message/list"),
            (.put, "default/{productId}/{locale}"), (.delete, "default/{productId}/{locale}"),
            (.get, "default/{productId}/{locale}"), (.put, "realtime/url"), (.delete, "realtime/url"),
            (.get, "realtime/url"), (.post, "performanceTest"), (.get, "performanceTest/result/{requestId}"),
        ]
        return paths.map { method, path in
            EmulatorOperation(method, "/inApps/v1/messaging/\(path)", rate: nil) { _, _ in
                throw ServerError(.appNotFound, "The store gives no app access to retention messages.")
            }
        }
    }()
}
