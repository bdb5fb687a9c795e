/// Scene: a named state of the shop, with the actions that lead to it, and the view in which it is shown.
package struct PreviewScene: Sendable, Hashable {
    package let name: String
    package let actions: [PreviewAction]
    package let view: PreviewView
}
