/// Named state of the shop: actions, and how a customer looks at the result.
package struct PreviewScene: Sendable, Hashable {
    package let name: String
    package let actions: [PreviewAction]
    package let view: PreviewView

    package init(name: String, actions: [PreviewAction], view: PreviewView) {
        self.name = name
        self.actions = actions
        self.view = view
    }
}
