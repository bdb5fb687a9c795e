#if canImport(SwiftUI)
    public import SwiftUI
    public import VitrineShopContent

    /// Subscriptions of one group side by side, or below each other where they do not fit.
    public struct SubscriptionPlans: View {
        @Environment(\.dynamicTypeSize) private var size
        @Environment(\.shopPlan) private var plan
        private let group: ShopDisplay.PlanGroup
        private let model: ShopModel

        public init(_ group: ShopDisplay.PlanGroup, in model: ShopModel) {
            self.group = group
            self.model = model
        }

        public var body: some View {
            VStack(alignment: .leading, spacing: 8) {
                if let name = group.name { Text(name).font(.headline).accessibilityAddTraits(.isHeader) }
                if size.isAccessibilitySize {
                    stack
                } else {
                    ViewThatFits(in: .horizontal) {
                        HStack(alignment: .top, spacing: 12) { plans }
                        stack
                    }
                }
            }
        }

        private var stack: some View { VStack(alignment: .leading, spacing: 12) { plans } }

        private var plans: some View {
            ForEach(group.plans) { content in
                plan.view(content, model).frame(minWidth: 140, maxWidth: .infinity)
            }
        }
    }

    struct StandardPlan: View {
        let content: ProductContent
        let model: ShopModel

        var body: some View {
            VStack(alignment: .leading, spacing: 8) {
                Text(content.title).font(.headline)
                if let plan = content.plan { PlanTerms(plan: plan) }
                BuyButton(content, in: model)
                if let explanation = content.sale.explanation {
                    Text(explanation).font(.footnote).foregroundStyle(.secondary)
                }
            }
            .padding(12)
            .frame(maxWidth: .infinity, alignment: .leading)
            .background(.quaternary, in: RoundedRectangle(cornerRadius: 12))
        }
    }

    /// Offer that applies, price per month, and the saving of a subscription.
    struct PlanTerms: View {
        let plan: PlanContent

        var body: some View {
            ForEach([plan.offer, plan.pricePerMonth, plan.saving].compactMap(\.self), id: \.self) { line in
                Text(line).font(.subheadline)
            }
        }
    }
#endif
