/// Scene: a named state of the shop, with the actions that lead to it, and the view in which it is shown.
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
