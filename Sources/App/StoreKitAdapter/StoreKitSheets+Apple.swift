#if canImport(UIKit) && !os(tvOS)
    internal import Foundation
    internal import OpenStoreKitShim
    internal import UIKit
    public import VitrinePurchasing
    internal import VitrineSupport

    // Not built or run on Linux.
    extension StoreKitStore {
        public var sheets: (any StoreSheets)? { StoreKitSheets() }
    }

    /// StoreKit's sheets, in the active scene of the app.
    private struct StoreKitSheets: StoreSheets {
        func manageSubscriptions(inGroup group: String?) async throws(StoreError) {
            try await show { scene in
                guard let group else { return try await AppStore.showManageSubscriptions(in: scene) }
                guard #available(iOS 17.0, *) else { return try await AppStore.showManageSubscriptions(in: scene) }
                try await AppStore.showManageSubscriptions(in: scene, subscriptionGroupID: group)
            }
        }

        func requestRefund(of transactionID: String) async throws(StoreError) -> RefundRequestAnswer {
            guard let id = UInt64(transactionID) else {
                throw StoreError(code: .notSubmitted, reason: "\(transactionID) is not a transaction of the App Store")
            }
            return try await show { scene in
                switch try await Transaction.beginRefundRequest(for: id, in: scene) {
                case .success: .submitted
                case .userCancelled: .cancelled
                @unknown default: throw StoreError(code: .unavailable, reason: "StoreKit answered in an unknown way")
                }
            }
        }

        func redeemOfferCode() async throws(StoreError) {
            try await show { try await AppStore.presentOfferCodeRedeemSheet(in: $0) }
        }

        func messages() -> AsyncStream<StoreMessage> {
            AsyncStream(reading: { yield in
                for await message in Message.messages {
                    yield(
                        StoreMessage(StoreMessage.Reason(message.reason)) { () throws(StoreError) in
                            try await show { try message.display(in: $0) }
                        })
                }
            })
        }
    }

    /// Calls a function with the active scene of the app.
    ///
    /// - Throws: `StoreError` if the app has no scene, or the function throws.
    private func show<Value: Sendable>(
        _ body: @escaping @MainActor @Sendable (UIWindowScene) async throws -> Value
    ) async throws(StoreError) -> Value {
        let shown = await uncancelled {
            guard let scene = await StoreKitStore.activeScene else { throw MissingWindow() }
            return try await body(scene)
        }
        switch shown {
        case .success(let value): return value
        case .failure(let error as StoreError): throw error
        case .failure(is MissingWindow):
            throw StoreError(
                code: .notSubmitted,
                reason: "the app has no scene in the foreground in which the App Store can show a sheet")
        case .failure(let error): throw StoreError(error)
        }
    }

    extension StoreMessage.Reason {
        fileprivate init(_ reason: Message.Reason) {
            if #available(iOS 18.0, visionOS 2.0, *), reason == .winBackOffer {
                self = .winBackOffer
                return
            }
            switch reason {
            case .priceIncreaseConsent: self = .priceIncreaseConsent
            case .billingIssue: self = .billingIssue
            default: self = .generic
            }
        }
    }
#endif
