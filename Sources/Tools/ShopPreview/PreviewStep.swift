package import Foundation

/// Entry of the timeline: one thing that happened in the preview, with what the app was told about it.
package struct PreviewStep: Sendable, Hashable {
    package enum Kind: String, Sendable {
        /// Opening of the shop, which is step 0.
        case opened
        case action
        /// Change of the catalog's file.
        case catalogChanged
        /// Change of the `.storekit` file.
        case storeChanged
    }

    package enum Outcome: String, Sendable {
        case done
        /// Refusal for a reason, such as a product that is not offered.
        case refused
        /// Result that is not known yet, such as a purchase that waits for approval.
        case waiting
        case failed
    }

    /// Number of the step, from 0.
    package let number: Int
    package let kind: Kind
    /// Action that was performed; `nil` for other steps.
    package let action: PreviewAction?
    /// Text of what was done, such as "Buy Lisbon".
    package let title: String
    /// Text of the result, such as "bought com.example.voyager.lisbon (transaction 3)".
    package let result: String
    package let outcome: Outcome
    /// Date of the store's clock afterwards.
    package let date: Date
    /// `date` as text.
    package let dateText: String
    /// Texts of the events that the app was told, in their order.
    package let events: [String]
}
