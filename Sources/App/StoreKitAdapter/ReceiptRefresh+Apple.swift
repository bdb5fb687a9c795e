public import Foundation
internal import OpenStoreKitShim
public import VitrinePurchasing
public import VitrineSupport

#if canImport(Darwin)
    // Not built or run on Linux.
    extension StoreKitStore {
        public func refreshAppReceipt(_ request: ReceiptRequest) async throws(StoreError) -> Data {
            switch await uncancelled({ try await ReceiptRefresh().run(request) }) {
            case .success: break
            case .failure(let error): throw StoreError(error)
            }
            guard let receipt = try await appReceipt() else {
                throw StoreError(code: .unavailable, reason: "the App Store has issued no app receipt")
            }
            return receipt
        }
    }

    /// Request for a new app receipt. Apple has deprecated the request of the original StoreKit in iOS 18 and macOS 15
    /// without a replacement.
    @MainActor
    private final class ReceiptRefresh: NSObject, SKRequestDelegate {
        /// The request, which is retained until it is answered.
        private var request: SKRequest?
        private var answer: CheckedContinuation<Void, any Error>?

        func run(_ wanted: ReceiptRequest) async throws {
            var properties: [String: Any] = [:]
            if wanted.isExpired { properties[SKReceiptPropertyIsExpired] = true }
            if wanted.isRevoked { properties[SKReceiptPropertyIsRevoked] = true }
            if wanted.isVolumePurchase { properties[SKReceiptPropertyIsVolumePurchase] = true }
            let request = SKReceiptRefreshRequest(receiptProperties: properties.isEmpty ? nil : properties)
            request.delegate = self
            self.request = request
            try await withCheckedThrowingContinuation { continuation in
                answer = continuation
                request.start()
            }
        }

        private func end(_ result: Result<Void, any Error>) {
            answer?.resume(with: result)
            (answer, request) = (nil, nil)
        }

        nonisolated func requestDidFinish(_ request: SKRequest) {
            Task { await end(.success(())) }
        }

        nonisolated func request(_ request: SKRequest, didFailWithError error: any Error) {
            Task { await end(.failure(error)) }
        }
    }
#else
    extension StoreKitStore {
        /// Throws an error, because app receipts exist only on Apple's platforms.
        public func refreshAppReceipt(_ request: ReceiptRequest) async throws(StoreError) -> Data {
            throw StoreError(code: .unavailable, reason: "there are app receipts only on Apple's platforms")
        }
    }
#endif
