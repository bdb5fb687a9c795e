internal import Crypto
internal import Foundation

/// Binds a receipt to a device, as Apple's guide "Validating receipts on the device" has it.
enum DeviceHash {
    /// - Parameters:
    ///   - device: The bytes of the device's identifier: `identifierForVendor` on iOS, the MAC address of the first
    ///     network interface on macOS.
    ///   - opaqueValue: The value of attribute 4.
    ///   - bundleIdentifier: The value of attribute 2, with its DER tag and length.
    static func hash(device: Data, opaqueValue: Data, bundleIdentifier: Data) -> Data {
        Data(Insecure.SHA1.hash(data: device + opaqueValue + bundleIdentifier))
    }
}
