public import Receipts

extension AppHooks {
    /// Creates hooks that confirm each transaction with the app's own server.
    ///
    /// ```swift
    /// options.hooks = AppHooks(server: ServerVerifier(url: url, bundleIdentifier: "com.example.voyager"))
    /// ```
    public init(server: ServerVerifier, delivery: (any DeliveryHandler)? = nil) {
        self.init(
            verification: { transaction in
                switch await server.confirm(transaction) {
                case .verified: .verified
                case .rejected(let reasons): .rejected(reasons.inWords)
                case .undetermined(let reason): .undetermined(reason)
                }
            }, delivery: delivery)
    }
}
