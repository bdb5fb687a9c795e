public import Foundation
public import VitrineNetworking

extension ManagerOptions {
    /// Options for the app's own server, such as one that `vitrine-server serve` runs.
    public struct Server: Sendable {
        /// Address of the server, with `https`: the part before `/v1` in the addresses of requests.
        public var url: URL
        /// Name of the app at the server, which is usually its bundle identifier.
        public var app: String
        /// Name of this device, for display to the customer.
        public var deviceName = ""
        /// `true` to pass the customer's identifier at the server to the store with each purchase that has no other
        /// account token, once the device has enrolled. Each transaction and each notification of the store then names
        /// the customer. With ``AccountPolicy/separate``, the identifier is passed only while the App Store account is
        /// verified.
        public var namesCustomer = true
        /// Transport that sends the requests.
        public var transport: any HTTPTransport = DefaultTransport()
        /// Maximum time for a request, in seconds.
        public var timeout: TimeInterval = 30

        public init(url: URL, app: String, deviceName: String = "") {
            self.url = url
            self.app = app
            self.deviceName = deviceName
        }
    }
}
