// Declared from the public documentation; not code of Apple. Only what the project uses. Never compiled by the package:
// Scripts/check-apple compiles sources against it.
public import Combine
@_exported public import Foundation
@_exported public import Observation

// MARK: Views

@MainActor @preconcurrency
public protocol View {
    associatedtype Body: View

    @ViewBuilder @MainActor @preconcurrency var body: Body { get }
}

extension Never: View {
    public var body: Never { fatalError() }
}

@resultBuilder
public enum ViewBuilder {
    public static func buildExpression<Content: View>(_ content: Content) -> Content { content }

    public static func buildBlock<Content: View>(_ content: Content) -> Content { content }

    public static func buildBlock<each Content: View>(
        _ content: repeat each Content
    ) -> TupleView<(repeat each Content)> { fatalError() }

    public static func buildIf<Content: View>(_ content: Content?) -> Content? { content }

    public static func buildEither<First: View, Second: View>(first: First) -> _ConditionalContent<First, Second> {
        fatalError()
    }

    public static func buildEither<First: View, Second: View>(second: Second) -> _ConditionalContent<First, Second> {
        fatalError()
    }
}

/// View that the system draws.
@MainActor @preconcurrency
public protocol SystemView: View where Body == Never {}

extension SystemView {
    public var body: Never { fatalError() }
}

public struct AnyView: SystemView {
    nonisolated public init(_ view: some View) {}
}

public struct EmptyView: SystemView {
    nonisolated public init() {}
}

public struct TupleView<Content>: SystemView {}

public struct _ConditionalContent<First: View, Second: View>: SystemView {}

extension Optional: View where Wrapped: View {
    public var body: Never { fatalError() }
}

// MARK: State

public protocol DynamicProperty {}

@propertyWrapper
public struct State<Value>: DynamicProperty {
    public var wrappedValue: Value {
        get { fatalError() }
        nonmutating set {}
    }

    public var projectedValue: Binding<Value> { fatalError() }

    public init(wrappedValue value: Value) {}
}

extension State where Value: ExpressibleByNilLiteral {
    public init() {}
}

extension State: Sendable where Value: Sendable {}

@propertyWrapper
public struct Binding<Value> {
    public var wrappedValue: Value {
        get { fatalError() }
        nonmutating set {}
    }

    public var projectedValue: Binding<Value> { self }

    @preconcurrency
    public init(
        get: @escaping @isolated(any) @Sendable () -> Value,
        set: @escaping @isolated(any) @Sendable (Value) -> Void
    ) {}
}

extension Binding: @unchecked Sendable where Value: Sendable {}

@propertyWrapper @MainActor @preconcurrency
public struct ObservedObject<ObjectType: ObservableObject>: DynamicProperty {
    @dynamicMemberLookup @MainActor @preconcurrency
    public struct Wrapper {
        public subscript<Subject>(
            dynamicMember keyPath: ReferenceWritableKeyPath<ObjectType, Subject>
        ) -> Binding<Subject> { fatalError() }
    }

    public var wrappedValue: ObjectType

    public var projectedValue: Wrapper { fatalError() }

    public init(wrappedValue: ObjectType) { self.wrappedValue = wrappedValue }
}

@propertyWrapper @MainActor @preconcurrency
public struct StateObject<ObjectType: ObservableObject>: DynamicProperty {
    public var wrappedValue: ObjectType { fatalError() }

    nonisolated public init(wrappedValue thunk: @autoclosure @escaping () -> ObjectType) {}
}

// MARK: Environment

public protocol EnvironmentKey {
    associatedtype Value

    static var defaultValue: Value { get }
}

public struct EnvironmentValues {
    public subscript<Key: EnvironmentKey>(key: Key.Type) -> Key.Value {
        get { fatalError() }
        set {}
    }

    public var dynamicTypeSize: DynamicTypeSize {
        get { fatalError() }
        set {}
    }

    public var layoutDirection: LayoutDirection {
        get { fatalError() }
        set {}
    }

    public var openURL: OpenURLAction {
        get { fatalError() }
        set {}
    }
}

@propertyWrapper
public struct Environment<Value>: DynamicProperty {
    public var wrappedValue: Value { fatalError() }

    public init(_ keyPath: KeyPath<EnvironmentValues, Value>) {}
}

public enum DynamicTypeSize: Hashable, CaseIterable, Sendable {
    case xSmall, small, medium, large, xLarge, xxLarge, xxxLarge
    case accessibility1, accessibility2, accessibility3, accessibility4, accessibility5

    public var isAccessibilitySize: Bool { fatalError() }
}

public enum LayoutDirection: Hashable, CaseIterable, Sendable {
    case leftToRight, rightToLeft
}

@MainActor @preconcurrency
public struct OpenURLAction: Sendable {
    public func callAsFunction(_ url: URL) {}
}

// MARK: Texts and images

public struct LocalizedStringKey: ExpressibleByStringInterpolation {
    public init(stringLiteral value: String) {}
}

public struct Text: SystemView, Sendable {
    nonisolated public init(_ key: LocalizedStringKey) {}

    @_disfavoredOverload
    nonisolated public init(_ content: some StringProtocol) {}
}

public struct Label<Title: View, Icon: View>: SystemView {}

extension Label where Title == Text, Icon == Image {
    nonisolated public init(_ titleKey: LocalizedStringKey, systemImage name: String) {}

    @_disfavoredOverload
    nonisolated public init(_ title: some StringProtocol, systemImage name: String) {}
}

public struct Image: SystemView, Sendable {
    nonisolated public init(systemName: String) {}

    nonisolated public func resizable() -> Image { fatalError() }
}

public struct AsyncImage<Content: View>: SystemView {
    nonisolated public init<Loaded: View, Placeholder: View>(
        url: URL?, scale: CGFloat = 1, @ViewBuilder content: @escaping (Image) -> Loaded,
        @ViewBuilder placeholder: @escaping () -> Placeholder
    ) where Content == _ConditionalContent<Loaded, Placeholder> {}
}

public struct Font: Hashable, Sendable {
    public static let headline = Font()
    public static let subheadline = Font()
    public static let footnote = Font()
    public static let caption = Font()
}

public protocol ShapeStyle: Sendable {}

public struct HierarchicalShapeStyle: ShapeStyle {}

extension ShapeStyle where Self == HierarchicalShapeStyle {
    public static var secondary: HierarchicalShapeStyle { fatalError() }
    public static var quaternary: HierarchicalShapeStyle { fatalError() }
}

public protocol Shape: View, Sendable {}

public protocol InsettableShape: Shape {}

public struct RoundedRectangle: SystemView, InsettableShape {
    nonisolated public init(cornerRadius: CGFloat) {}
}

public struct Color: SystemView, ShapeStyle, Hashable {
    public static let secondary = Color()

    nonisolated public func opacity(_ opacity: Double) -> Color { fatalError() }
}

// MARK: Controls

public struct Button<Title: View>: SystemView {
    @preconcurrency
    public init(action: @escaping @MainActor () -> Void, @ViewBuilder label: () -> Title) {}
}

extension Button where Title == Text {
    @preconcurrency
    public init(_ titleKey: LocalizedStringKey, action: @escaping @MainActor () -> Void) {}

    @preconcurrency @_disfavoredOverload
    public init(_ title: some StringProtocol, action: @escaping @MainActor () -> Void) {}
}

@MainActor @preconcurrency
public protocol PrimitiveButtonStyle {}

public struct BorderedButtonStyle: PrimitiveButtonStyle {}

extension PrimitiveButtonStyle where Self == BorderedButtonStyle {
    public static var bordered: BorderedButtonStyle { fatalError() }
}

public struct BorderedProminentButtonStyle: PrimitiveButtonStyle {}

extension PrimitiveButtonStyle where Self == BorderedProminentButtonStyle {
    public static var borderedProminent: BorderedProminentButtonStyle { fatalError() }
}

@available(tvOS 17.0, *)
public struct BorderlessButtonStyle: PrimitiveButtonStyle {}

@available(tvOS 17.0, *)
extension PrimitiveButtonStyle where Self == BorderlessButtonStyle {
    public static var borderless: BorderlessButtonStyle { fatalError() }
}

public struct Link<Title: View>: SystemView {}

extension Link where Title == Text {
    nonisolated public init(_ titleKey: LocalizedStringKey, destination: URL) {}

    @_disfavoredOverload
    nonisolated public init(_ title: some StringProtocol, destination: URL) {}
}

public struct ProgressView<Title: View, CurrentValueLabel: View>: SystemView {}

extension ProgressView where CurrentValueLabel == EmptyView {
    nonisolated public init() where Title == EmptyView {}

    nonisolated public init(_ titleKey: LocalizedStringKey) where Title == Text {}

    nonisolated public init<Value: BinaryFloatingPoint>(
        _ titleKey: LocalizedStringKey, value: Value?, total: Value = 1
    ) where Title == Text {}

    @_disfavoredOverload
    nonisolated public init<Value: BinaryFloatingPoint>(
        _ title: some StringProtocol, value: Value?, total: Value = 1
    ) where Title == Text {}
}

public struct LabeledContent<Title: View, Content: View>: SystemView {}

extension LabeledContent where Title == Text, Content == Text {
    nonisolated public init(_ titleKey: LocalizedStringKey, value: some StringProtocol) {}

    @_disfavoredOverload
    nonisolated public init(_ title: some StringProtocol, value: some StringProtocol) {}
}

// MARK: Layout

public struct HorizontalAlignment: Sendable {
    public static let center = HorizontalAlignment()
    public static let leading = HorizontalAlignment()
    public static let trailing = HorizontalAlignment()
}

public struct VerticalAlignment: Sendable {
    public static let top = VerticalAlignment()
    public static let center = VerticalAlignment()
}

public enum Visibility: Hashable, CaseIterable, Sendable {
    case automatic, visible, hidden
}

public struct Alignment: Sendable {
    public static let bottom = Alignment()
    public static let center = Alignment()
    public static let leading = Alignment()
}

public enum Axis: Int8, CaseIterable, Sendable {
    case horizontal, vertical

    public struct Set: OptionSet, Sendable {
        public static let horizontal = Set(rawValue: 1 << 0)
        public static let vertical = Set(rawValue: 1 << 1)

        public let rawValue: Int8

        public init(rawValue: Int8) { self.rawValue = rawValue }
    }
}

public struct ViewThatFits<Content: View>: SystemView {
    nonisolated public init(in axes: Axis.Set = [.horizontal, .vertical], @ViewBuilder content: () -> Content) {}
}

public struct ScrollView<Content: View>: SystemView {
    nonisolated public init(
        _ axes: Axis.Set = .vertical, showsIndicators: Bool = true, @ViewBuilder content: () -> Content
    ) {}
}

public struct Spacer: SystemView {
    nonisolated public init(minLength: CGFloat? = nil) {}
}

public struct HStack<Content: View>: SystemView {
    nonisolated public init(
        alignment: VerticalAlignment = .center, spacing: CGFloat? = nil, @ViewBuilder content: () -> Content
    ) {}
}

public struct VStack<Content: View>: SystemView {
    nonisolated public init(
        alignment: HorizontalAlignment = .center, spacing: CGFloat? = nil, @ViewBuilder content: () -> Content
    ) {}
}

public struct ForEach<Data: RandomAccessCollection, ID: Hashable, Content> {}

extension ForEach: View where Content: View {
    public var body: Never { fatalError() }

    nonisolated public init(_ data: Data, @ViewBuilder content: @escaping (Data.Element) -> Content)
    where Data.Element: Identifiable, ID == Data.Element.ID {}

    nonisolated public init(
        _ data: Data, id: KeyPath<Data.Element, ID>, @ViewBuilder content: @escaping (Data.Element) -> Content
    ) {}
}

public struct Section<Parent: View, Content: View, Footer: View>: SystemView {}

extension Section where Footer == EmptyView {
    nonisolated public init(@ViewBuilder content: () -> Content) where Parent == EmptyView {}

    nonisolated public init(_ titleKey: LocalizedStringKey, @ViewBuilder content: () -> Content) where Parent == Text {}

    @_disfavoredOverload
    nonisolated public init(_ title: some StringProtocol, @ViewBuilder content: () -> Content) where Parent == Text {}
}

@MainActor
public protocol Scene {
    associatedtype Body: Scene

    @SceneBuilder var body: Body { get }
}

extension Never: Scene {}

@resultBuilder
public enum SceneBuilder {
    nonisolated public static func buildBlock<Content: Scene>(_ content: Content) -> Content { content }
}

@MainActor
public protocol App {
    associatedtype Body: Scene

    @SceneBuilder var body: Body { get }

    init()
}

extension App {
    public static func main() {}
}

public struct WindowGroup<Content: View>: Scene {
    public typealias Body = Never

    public var body: Never { fatalError() }

    nonisolated public init(@ViewBuilder content: () -> Content) {}
}

public struct List<Selection: Hashable, Content: View>: SystemView {}

extension List where Selection == Never {
    nonisolated public init(@ViewBuilder content: () -> Content) {}

    nonisolated public init<Data: RandomAccessCollection, Row: View>(
        _ data: Data, @ViewBuilder rowContent: @escaping (Data.Element) -> Row
    ) where Content == ForEach<Data, Data.Element.ID, Row>, Data.Element: Identifiable {}
}

// MARK: Navigation

public struct NavigationPath: Sendable {}

public struct NavigationStack<Data, Root: View>: SystemView {
    nonisolated public init(@ViewBuilder root: () -> Root) where Data == NavigationPath {}
}

public struct NavigationLink<Title: View, Destination: View>: SystemView {
    nonisolated public init<Value: Hashable>(value: Value?, @ViewBuilder label: () -> Title)
    where Destination == Never {}
}

// MARK: Modifiers

public struct AccessibilityChildBehavior: Hashable, Sendable {
    public static let combine = AccessibilityChildBehavior()
}

public struct AccessibilityTraits: Sendable {
    public static let isHeader = AccessibilityTraits()
}

extension View {
    nonisolated public func accessibilityAddTraits(_ traits: AccessibilityTraits) -> some View { EmptyView() }

    nonisolated public func accessibilityElement(
        children: AccessibilityChildBehavior
    ) -> some View { EmptyView() }

    nonisolated public func accessibilityHidden(_ hidden: Bool) -> some View { EmptyView() }

    @_disfavoredOverload
    nonisolated public func accessibilityLabel(_ label: some StringProtocol) -> some View { EmptyView() }

    nonisolated public func accessibilityLabel(_ key: LocalizedStringKey) -> some View { EmptyView() }

    nonisolated public func alert(
        _ titleKey: LocalizedStringKey, isPresented: Binding<Bool>, @ViewBuilder actions: () -> some View,
        @ViewBuilder message: () -> some View
    ) -> some View { EmptyView() }

    @_disfavoredOverload
    nonisolated public func alert(
        _ title: some StringProtocol, isPresented: Binding<Bool>, @ViewBuilder actions: () -> some View
    ) -> some View { EmptyView() }

    nonisolated public func background(
        _ style: some ShapeStyle, in shape: some InsettableShape
    ) -> some View { EmptyView() }

    nonisolated public func buttonStyle(_ style: some PrimitiveButtonStyle) -> some View { EmptyView() }

    nonisolated public func clipShape(_ shape: some Shape) -> some View { EmptyView() }

    nonisolated public func disabled(_ isDisabled: Bool) -> some View { EmptyView() }

    nonisolated public func environment<Value>(
        _ keyPath: WritableKeyPath<EnvironmentValues, Value>, _ value: Value
    ) -> some View { EmptyView() }

    nonisolated public func font(_ font: Font?) -> some View { EmptyView() }

    nonisolated public func foregroundStyle(_ style: some ShapeStyle) -> some View { EmptyView() }

    nonisolated public func frame(
        width: CGFloat? = nil, height: CGFloat? = nil, alignment: Alignment = .center
    ) -> some View { EmptyView() }

    nonisolated public func frame(
        minWidth: CGFloat? = nil, idealWidth: CGFloat? = nil, maxWidth: CGFloat? = nil, minHeight: CGFloat? = nil,
        idealHeight: CGFloat? = nil, maxHeight: CGFloat? = nil, alignment: Alignment = .center
    ) -> some View { EmptyView() }

    nonisolated public func navigationDestination<Value: Hashable>(
        for data: Value.Type, @ViewBuilder destination: @escaping (Value) -> some View
    ) -> some View { EmptyView() }

    nonisolated public func navigationTitle(_ titleKey: LocalizedStringKey) -> some View { EmptyView() }

    @_disfavoredOverload
    nonisolated public func navigationTitle(_ title: some StringProtocol) -> some View { EmptyView() }

    nonisolated public func overlay(
        alignment: Alignment = .center, @ViewBuilder content: () -> some View
    ) -> some View { EmptyView() }

    nonisolated public func padding(_ length: CGFloat) -> some View { EmptyView() }

    nonisolated public func refreshable(action: @escaping @Sendable () async -> Void) -> some View { EmptyView() }

    nonisolated public func task(
        priority: TaskPriority = .userInitiated, @_inheritActorContext _ action: @escaping @Sendable () async -> Void
    ) -> some View { EmptyView() }

    nonisolated public func scaledToFit() -> some View { EmptyView() }
}
