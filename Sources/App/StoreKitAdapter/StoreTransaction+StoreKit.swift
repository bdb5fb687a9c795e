internal import OpenStoreKitShim
internal import VitrinePurchasing
internal import VitrineReceipts
internal import VitrineSupport

extension StoreTransaction {
    /// Converts a transaction of StoreKit; a transaction that StoreKit could not verify is marked as rejected.
    ///
    /// - Parameter renewal: Renewal information of the subscription; `nil` for none. Information that StoreKit has
    ///   not verified is ignored, so that the period of the transaction applies.
    init(
        _ result: VerificationResult<Transaction>, renewal: VerificationResult<Product.SubscriptionInfo.RenewalInfo>?,
        isStatusOnly: Bool = false
    ) {
        var rejection: RejectionReason?
        if case .unverified(_, let error) = result { rejection = RejectionReason(error) }
        var signedRenewal: String?
        if case .verified = renewal { signedRenewal = renewal?.jwsRepresentation }
        self.init(
            id: String(result.unsafePayloadValue.id), signedData: result.jwsRepresentation,
            signedRenewal: signedRenewal, rejection: rejection, isStatusOnly: isStatusOnly)
    }
}

extension RejectionReason {
    /// Creates the reason why StoreKit rejects signed data on this device.
    init<Signed>(_ error: VerificationResult<Signed>.VerificationError) {
        let (code, detail): (RejectionCode, String) =
            switch error {
            case .revokedCertificate: (.certificateRevoked, "a certificate was revoked")
            case .invalidCertificateChain: (.certificateChain, "the certificates do not lead to Apple's root")
            case .invalidDeviceVerification: (.device, "the data is signed for another device")
            case .invalidEncoding: (.malformed, "the data cannot be decoded")
            case .invalidSignature: (.signature, "the signature does not match the data")
            case .missingRequiredProperties: (.payload, "the data lacks required properties")
            #if canImport(Darwin)
                @unknown default: (.store, "the reason is unknown")
            #endif
            }
        self.init(code: code, reason: "StoreKit does not verify the data: \(detail)")
    }
}
