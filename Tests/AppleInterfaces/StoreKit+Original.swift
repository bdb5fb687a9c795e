// Declared from the public documentation; not code of Apple. Only what the project uses. Never compiled by the package:
// Scripts/check-apple compiles sources against it.
// The original StoreKit. Scripts/storekit-interface writes StoreKit 2.
public import Foundation

@available(iOS, introduced: 3.0, deprecated: 18.0)
@available(macOS, introduced: 10.7, deprecated: 15.0)
open class SKRequest: NSObject {
    open weak var delegate: (any SKRequestDelegate)?

    open func start() {}

    open func cancel() {}
}

// The methods are optional on Apple's platforms. Here they are required, so that a misspelled one is found.
@available(iOS, introduced: 3.0, deprecated: 18.0)
@available(macOS, introduced: 10.7, deprecated: 15.0)
public protocol SKRequestDelegate: NSObjectProtocol {
    func requestDidFinish(_ request: SKRequest)

    func request(_ request: SKRequest, didFailWithError error: any Error)
}

@available(iOS, introduced: 7.0, deprecated: 18.0)
@available(macOS, introduced: 10.9, deprecated: 15.0)
open class SKReceiptRefreshRequest: SKRequest {
    open var receiptProperties: [String: Any]? { fatalError() }

    public init(receiptProperties properties: [String: Any]?) {}
}

@available(iOS, introduced: 7.0, deprecated: 18.0)
@available(macOS, introduced: 10.9, deprecated: 15.0)
public let SKReceiptPropertyIsExpired = ""
@available(iOS, introduced: 7.0, deprecated: 18.0)
@available(macOS, introduced: 10.9, deprecated: 15.0)
public let SKReceiptPropertyIsRevoked = ""
@available(iOS, introduced: 7.0, deprecated: 18.0)
@available(macOS, introduced: 10.9, deprecated: 15.0)
public let SKReceiptPropertyIsVolumePurchase = ""
