import VitrineNetworking
package import VitrineReceipts

/// Servers in place of Apple's `verifyReceipt` for production and for the sandbox.
package struct ReceiptServices: Sendable {
    private let production: LoopbackServer
    private let sandbox: LoopbackServer?

    package init(production: LoopbackServer, sandbox: LoopbackServer? = nil) {
        self.production = production
        self.sandbox = sandbox
    }

    /// Numbers of requests to production and to the sandbox.
    package var asked: [Int] { [production.requests.count, sandbox?.requests.count ?? 0] }

    package func service(_ environments: Set<StoreEnvironment> = [.production]) -> VerifyReceiptService {
        VerifyReceiptService(
            bundleIdentifier: "com.example.app", environments: environments, production: production.url,
            sandbox: sandbox?.url, transport: DefaultTransport.patient)
    }
}

extension LoopbackServer.Answer {
    /// Returns the response of `verifyReceipt` for a receipt without purchases.
    package static func receiptStatus(
        _ status: Int, bundle: String = "com.example.app", environment: String = "Production"
    ) -> Self {
        .json(
            #"{"status": \#(status), "environment": "\#(environment)", "receipt": {"bundle_id": "\#(bundle)", "in_app": []}}"#
        )
    }
}
