internal import Crypto
package import Foundation

/// Value with which the store binds data to the device for which it has signed it.
package enum DeviceVerification {
    /// Returns the value for a device: the SHA-384 hash of the nonce and the device's identifier, both as text in lower
    /// case, as Apple documents for
    /// [deviceVerification](https://developer.apple.com/documentation/storekit/transaction/deviceverification).
    ///
    /// - Parameters:
    ///   - nonce: Nonce in the signed data.
    ///   - device: Identifier of the device, `AppStore.deviceVerificationID`.
    package static func value(nonce: UUID, device: UUID) -> Data {
        let text = nonce.uuidString.lowercased() + device.uuidString.lowercased()
        return Data(SHA384.hash(data: Data(text.utf8)))
    }

    fileprivate static func isValid(_ value: String?, nonce: String?, device: UUID) -> Bool {
        guard let value = value.flatMap({ Data(base64Encoded: $0) }), let nonce = nonce.flatMap(UUID.init(uuidString:))
        else { return false }
        return value == Self.value(nonce: nonce, device: device)
    }
}

extension AppTransactionPayload {
    /// Indicates that the data was signed for a device. Data that a server receives from the store is bound to none.
    package func isBound(to device: UUID) -> Bool {
        DeviceVerification.isValid(deviceVerification, nonce: deviceVerificationNonce, device: device)
    }
}

extension TransactionPayload {
    /// Indicates that the data was signed for a device. Data that a server receives from the store is bound to none.
    package func isBound(to device: UUID) -> Bool {
        DeviceVerification.isValid(deviceVerification, nonce: deviceVerificationNonce, device: device)
    }
}
