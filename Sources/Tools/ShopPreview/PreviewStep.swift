package import Foundation
internal import VitrineSupport

/// Step in the timeline of a preview: an action or a changed file, with the resulting events of the app.
package struct PreviewStep: Sendable, Hashable {
    package enum Kind: String, Sendable {
        /// Opening of the shop, which is step 0.
        case opened
        case action
        /// Change of the catalog file.
        case catalogChanged
        /// Change of the `.storekit` file.
        case storeChanged
    }

    package enum Outcome: String, Sendable {
        case done
        /// The action was refused, for example because the product is not for sale. The result contains the reason.
        case refused
        /// The outcome is not known yet, for example because a purchase waits for approval.
        case waiting
        case failed
    }

    /// Number of the step, starting with 0.
    package let number: Int
    package let kind: Kind
    /// Action of the step; `nil` for the opening of the shop and for a changed file.
    package let action: PreviewAction?
    /// Description of the step, such as "Buy Lisbon".
    package let title: String
    /// Description of the result, such as "bought com.example.voyager.lisbon (transaction 3)".
    package let result: String
    package let outcome: Outcome
    /// Date of the store's clock after the step.
    package let date: Date
    /// Descriptions of the events that the app received, in their order.
    package let events: [String]

    /// Text of ``date``.
    package var dateText: String { date.minute }
}
