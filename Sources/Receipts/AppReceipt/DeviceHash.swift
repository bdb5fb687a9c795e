internal import Crypto
internal import Foundation

/// Hash that binds a receipt to a device, as described in Apple's guide "Validating receipts on the device".
enum DeviceHash {
    /// Returns the hash of a device, as in attribute 5 of a receipt.
    ///
    /// - Parameters:
    ///   - device: The bytes of the device's identifier: `identifierForVendor` on iOS, the MAC address of the first
    ///     network interface on macOS.
    ///   - opaqueValue: The value of attribute 4.
    ///   - bundleIdentifier: The value of attribute 2, with its DER tag and length.
    static func hash(device: Data, opaqueValue: Data, bundleIdentifier: Data) -> Data {
        Data(Insecure.SHA1.hash(data: device + opaqueValue + bundleIdentifier))
    }
}
