// Declared from the public documentation; not code of Apple. Only what the project uses. Never compiled by the package:
// Scripts/check-apple compiles sources against it.
@_exported public import Foundation

// MARK: The app and its scenes

@MainActor
open class UIResponder: NSObject {}

@MainActor
open class UIApplication: UIResponder {
    public nonisolated static let didBecomeActiveNotification = Notification.Name("")

    open class var shared: UIApplication { fatalError() }

    open var connectedScenes: Set<UIScene> { fatalError() }
}

@MainActor
open class UIScene: UIResponder {
    public enum ActivationState: Int, Sendable {
        case unattached, foregroundActive, foregroundInactive, background
    }

    open var activationState: ActivationState { fatalError() }
}

@MainActor
open class UIWindowScene: UIScene {
    @available(iOS 15.0, tvOS 15.0, *)
    open var keyWindow: UIWindow? { fatalError() }
}

extension IndexPath {
    public var row: Int {
        get { fatalError() }
        set {}
    }

    public var section: Int {
        get { fatalError() }
        set {}
    }

    public init(row: Int, section: Int) { fatalError() }
}

// MARK: Values

open class UIImage: NSObject, @unchecked Sendable {
    public init?(contentsOfFile path: String) {}

    public init?(data: Data) {}

    public init?(systemName name: String) {}

    open var size: CGSize { fatalError() }
}

open class UIColor: NSObject, @unchecked Sendable {
    open class var label: UIColor { fatalError() }
    open class var secondaryLabel: UIColor { fatalError() }
    open class var systemGreen: UIColor { fatalError() }
    open class var systemRed: UIColor { fatalError() }
    open class var tintColor: UIColor { fatalError() }
}

open class UIFont: NSObject, @unchecked Sendable {
    public struct TextStyle: Hashable, Sendable {
        public static let body = TextStyle()
        public static let caption1 = TextStyle()
        public static let footnote = TextStyle()
        public static let headline = TextStyle()
        public static let title2 = TextStyle()
    }

    open class func preferredFont(forTextStyle style: TextStyle) -> UIFont { fatalError() }
}

public enum NSTextAlignment: Int, Sendable {
    case left, center, right, justified, natural
}

// MARK: Views

@MainActor
open class UIView: UIResponder {
    public enum ContentMode: Int, Sendable {
        case scaleToFill, scaleAspectFit, scaleAspectFill, center
    }

    open var window: UIWindow? { fatalError() }

    // On Apple's platforms, init() calls this with a frame of zero.
    public init(frame: CGRect = .zero) {}

    public required init?(coder: NSCoder) {}

    open var alpha: CGFloat = 1
    open var bounds: CGRect = .zero
    open var contentMode: ContentMode = .scaleToFill
    open var frame: CGRect = .zero
    open var isHidden = false
    open var isUserInteractionEnabled = true
    open var tag = 0
    open var tintColor: UIColor?
    open var translatesAutoresizingMaskIntoConstraints = true

    open var accessibilityIdentifier: String?
    open var accessibilityLabel: String?
    open var accessibilityValue: String?

    open var layoutMarginsGuide: UILayoutGuide { fatalError() }
    open var safeAreaLayoutGuide: UILayoutGuide { fatalError() }
    open var bottomAnchor: NSLayoutYAxisAnchor { fatalError() }
    open var centerXAnchor: NSLayoutXAxisAnchor { fatalError() }
    open var centerYAnchor: NSLayoutYAxisAnchor { fatalError() }
    open var heightAnchor: NSLayoutDimension { fatalError() }
    open var leadingAnchor: NSLayoutXAxisAnchor { fatalError() }
    open var topAnchor: NSLayoutYAxisAnchor { fatalError() }
    open var trailingAnchor: NSLayoutXAxisAnchor { fatalError() }
    open var widthAnchor: NSLayoutDimension { fatalError() }

    open func addSubview(_ view: UIView) {}

    open func removeFromSuperview() {}

    open func setNeedsLayout() {}

    open func sizeToFit() {}
}

@MainActor
open class UILayoutGuide: NSObject {
    open var bottomAnchor: NSLayoutYAxisAnchor { fatalError() }
    open var centerXAnchor: NSLayoutXAxisAnchor { fatalError() }
    open var centerYAnchor: NSLayoutYAxisAnchor { fatalError() }
    open var leadingAnchor: NSLayoutXAxisAnchor { fatalError() }
    open var topAnchor: NSLayoutYAxisAnchor { fatalError() }
    open var trailingAnchor: NSLayoutXAxisAnchor { fatalError() }
}

@MainActor
open class NSLayoutConstraint: NSObject {
    open var isActive = false

    open class func activate(_ constraints: [NSLayoutConstraint]) {}
}

@MainActor
open class NSLayoutAnchor<AnchorType: AnyObject>: NSObject {
    open func constraint(equalTo anchor: NSLayoutAnchor<AnchorType>, constant: CGFloat = 0) -> NSLayoutConstraint {
        fatalError()
    }
}

@MainActor
open class NSLayoutXAxisAnchor: NSLayoutAnchor<NSLayoutXAxisAnchor> {}

@MainActor
open class NSLayoutYAxisAnchor: NSLayoutAnchor<NSLayoutYAxisAnchor> {}

@MainActor
open class NSLayoutDimension: NSLayoutAnchor<NSLayoutDimension> {
    open func constraint(equalToConstant constant: CGFloat) -> NSLayoutConstraint { fatalError() }
}

@MainActor
open class UIImageView: UIView {
    open var image: UIImage?

    public init(image: UIImage?) { super.init() }

    public override init(frame: CGRect = .zero) { super.init(frame: frame) }

    public required init?(coder: NSCoder) { super.init(coder: coder) }
}

@MainActor
open class UILabel: UIView {
    open var adjustsFontForContentSizeCategory = false
    // Null-resettable on Apple's platforms: implicitly unwrapped there.
    open var font: UIFont?
    open var numberOfLines = 1
    open var text: String?
    open var textAlignment: NSTextAlignment = .natural
    open var textColor: UIColor?
}

@MainActor
open class UIProgressView: UIView {
    public enum Style: Int, Sendable {
        case `default`, bar
    }

    open var observedProgress: Progress?
    open var progress: Float = 0

    public convenience init(progressViewStyle style: Style) { self.init() }

    open func setProgress(_ progress: Float, animated: Bool) {}
}

@MainActor
open class UIActivityIndicatorView: UIView {
    public enum Style: Int, Sendable {
        case medium, large
    }

    public convenience init(style: Style) { self.init() }

    open func startAnimating() {}

    open func stopAnimating() {}
}

@MainActor
open class UIStackView: UIView {
    public enum Alignment: Int, Sendable {
        case fill, leading, center, trailing
    }

    public enum Distribution: Int, Sendable {
        case fill, fillEqually, fillProportionally, equalSpacing, equalCentering
    }

    open var alignment: Alignment = .fill
    open var arrangedSubviews: [UIView] { fatalError() }
    open var axis: NSLayoutConstraint.Axis = .horizontal
    open var distribution: Distribution = .fill
    open var spacing: CGFloat = 0

    public convenience init(arrangedSubviews views: [UIView]) { self.init() }

    open func addArrangedSubview(_ view: UIView) {}

    open func setCustomSpacing(_ spacing: CGFloat, after arrangedSubview: UIView) {}
}

extension NSLayoutConstraint {
    public enum Axis: Int, Sendable {
        case horizontal, vertical
    }
}

@MainActor
open class UIScrollView: UIView {
    open var refreshControl: UIRefreshControl?
}

// MARK: Controls

@MainActor
open class UIControl: UIView {
    public struct Event: OptionSet, Sendable {
        public static let touchUpInside = Event(rawValue: 1 << 6)
        public static let valueChanged = Event(rawValue: 1 << 12)
        public static let primaryActionTriggered = Event(rawValue: 1 << 13)

        public let rawValue: UInt

        public init(rawValue: UInt) { self.rawValue = rawValue }
    }

    open var isEnabled = true

    public convenience init(frame: CGRect, primaryAction: UIAction?) { self.init() }

    open func addAction(_ action: UIAction, for controlEvents: Event) {}
}

@MainActor
open class UIButton: UIControl {
    public enum ButtonType: Int, Sendable {
        case custom, system
    }

    public struct Configuration {
        public enum Size: Sendable {
            case mini, small, medium, large
        }

        public var buttonSize: Size
        public var image: UIImage?
        public var imagePadding: CGFloat
        public var showsActivityIndicator: Bool
        public var subtitle: String?
        public var title: String?

        public static func bordered() -> Configuration { fatalError() }

        public static func borderedProminent() -> Configuration { fatalError() }

        public static func borderless() -> Configuration { fatalError() }

        public static func filled() -> Configuration { fatalError() }

        public static func gray() -> Configuration { fatalError() }

        public static func plain() -> Configuration { fatalError() }

        public static func tinted() -> Configuration { fatalError() }
    }

    open var configuration: Configuration?

    public convenience init(configuration: Configuration, primaryAction: UIAction? = nil) { self.init() }

    public convenience init(type: ButtonType = .system, primaryAction: UIAction?) { self.init() }
}

@MainActor
open class UIRefreshControl: UIControl {
    open var isRefreshing: Bool { fatalError() }

    open func beginRefreshing() {}

    open func endRefreshing() {}
}

@MainActor
open class UISegmentedControl: UIControl {
    open var apportionsSegmentWidthsByContent = false
    open var numberOfSegments: Int { fatalError() }
    open var selectedSegmentIndex = -1

    public convenience init(items: [Any]?) { self.init() }

    public convenience init(frame: CGRect, actions: [UIAction]) { self.init() }

    open func insertSegment(action: UIAction, at segment: Int, animated: Bool) {}

    open func insertSegment(withTitle title: String?, at segment: Int, animated: Bool) {}
}

// MARK: Menus

@MainActor
open class UIMenuElement: NSObject {
    public enum State: Int, Sendable {
        case off, on, mixed
    }

    public struct Attributes: OptionSet, Sendable {
        public static let disabled = Attributes(rawValue: 1 << 0)
        public static let destructive = Attributes(rawValue: 1 << 1)
        public static let hidden = Attributes(rawValue: 1 << 2)

        public let rawValue: UInt

        public init(rawValue: UInt) { self.rawValue = rawValue }
    }
}

public typealias UIActionHandler = (UIAction) -> Void

@MainActor
open class UIAction: UIMenuElement {
    public struct Identifier: Hashable, Sendable {
        public init(_ rawValue: String) {}
    }

    open var attributes: Attributes = []
    open var sender: Any? { fatalError() }
    open var state: State = .off
    open var title = ""

    public convenience init(
        title: String = "", subtitle: String? = nil, image: UIImage? = nil, identifier: Identifier? = nil,
        discoverabilityTitle: String? = nil, attributes: Attributes = [], state: State = .off,
        handler: @escaping UIActionHandler
    ) { fatalError() }
}

@MainActor
open class UIMenu: UIMenuElement {
    public convenience init(
        title: String = "", subtitle: String? = nil, image: UIImage? = nil, children: [UIMenuElement] = []
    ) { fatalError() }
}

@MainActor
open class UIBarItem: NSObject {
    open var image: UIImage?
    open var isEnabled = true
    open var title: String?
}

@MainActor
open class UIBarButtonItem: UIBarItem {
    public enum SystemItem: Int, Sendable {
        case done, cancel, edit, save, add, refresh, flexibleSpace, close
    }

    open var menu: UIMenu?
    open var primaryAction: UIAction?

    public convenience init(
        title: String? = nil, image: UIImage? = nil, primaryAction: UIAction? = nil, menu: UIMenu? = nil
    ) { fatalError() }

    public convenience init(systemItem: SystemItem, primaryAction: UIAction? = nil, menu: UIMenu? = nil) {
        fatalError()
    }

    public convenience init(customView: UIView) { fatalError() }
}

@MainActor
open class UIWindow: UIView {
    open var isKeyWindow: Bool { fatalError() }
    open var windowScene: UIWindowScene? { fatalError() }
}

// MARK: View controllers

@MainActor
open class UIViewController: UIResponder {
    public init(nibName nibNameOrNil: String? = nil, bundle nibBundleOrNil: Bundle? = nil) {}

    public required init?(coder: NSCoder) {}

    open var isViewLoaded: Bool { fatalError() }
    open var viewIfLoaded: UIView? { fatalError() }
    open var navigationController: UINavigationController? { fatalError() }
    open var navigationItem: UINavigationItem { fatalError() }
    open var presentedViewController: UIViewController? { fatalError() }
    open var title: String?
    open var toolbarItems: [UIBarButtonItem]?
    // swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
    open var view: UIView! {
        get { fatalError() }
        set {}
    }

    open func viewDidLoad() {}

    open func viewWillAppear(_ animated: Bool) {}

    open func viewIsAppearing(_ animated: Bool) {}

    open func viewDidAppear(_ animated: Bool) {}

    open func viewWillDisappear(_ animated: Bool) {}

    open func viewDidDisappear(_ animated: Bool) {}

    open func present(
        _ viewControllerToPresent: UIViewController, animated flag: Bool, completion: (() -> Void)? = nil
    ) {}

    open func dismiss(animated flag: Bool, completion: (() -> Void)? = nil) {}
}

@MainActor
open class UINavigationItem: NSObject {
    open var leftBarButtonItem: UIBarButtonItem?
    open var prompt: String?
    open var rightBarButtonItem: UIBarButtonItem?
    open var rightBarButtonItems: [UIBarButtonItem]?
    open var title: String?
    open var titleView: UIView?
}

@MainActor
open class UINavigationController: UIViewController {
    public init(rootViewController: UIViewController) { super.init() }

    public override init(nibName nibNameOrNil: String? = nil, bundle nibBundleOrNil: Bundle? = nil) {
        super.init(nibName: nibNameOrNil, bundle: nibBundleOrNil)
    }

    public required init?(coder: NSCoder) { super.init(coder: coder) }

    open var viewControllers: [UIViewController] = []

    open func pushViewController(_ viewController: UIViewController, animated: Bool) {}

    @discardableResult
    open func popViewController(animated: Bool) -> UIViewController? { fatalError() }
}

@MainActor
open class UIAlertAction: NSObject {
    public enum Style: Int, Sendable {
        case `default`, cancel, destructive
    }

    public convenience init(
        title: String?, style: Style, handler: (@MainActor @Sendable (UIAlertAction) -> Void)? = nil
    ) { fatalError() }
}

@MainActor
open class UIAlertController: UIViewController {
    public enum Style: Int, Sendable {
        case actionSheet, alert
    }

    public convenience init(title: String?, message: String?, preferredStyle: Style) { fatalError() }

    open func addAction(_ action: UIAlertAction) {}
}

// MARK: Tables

@MainActor
open class UITableView: UIScrollView {
    public enum Style: Int, Sendable {
        case plain, grouped, insetGrouped
    }

    public enum RowAnimation: Int, Sendable {
        case fade, right, left, top, bottom, none, middle, automatic
    }

    public init(frame: CGRect, style: Style) { super.init(frame: frame) }

    public required init?(coder: NSCoder) { super.init(coder: coder) }

    open var allowsSelection = true
    open var estimatedRowHeight: CGFloat = 0
    open var indexPathForSelectedRow: IndexPath? { fatalError() }
    open var rowHeight: CGFloat = 0
    open var tableFooterView: UIView?
    open var tableHeaderView: UIView?

    open func register(_ cellClass: AnyClass?, forCellReuseIdentifier identifier: String) {}

    open func dequeueReusableCell(withIdentifier identifier: String, for indexPath: IndexPath) -> UITableViewCell {
        fatalError()
    }

    open func cellForRow(at indexPath: IndexPath) -> UITableViewCell? { fatalError() }

    open func reloadData() {}

    open func reloadRows(at indexPaths: [IndexPath], with animation: RowAnimation) {}

    open func reconfigureRows(at indexPaths: [IndexPath]) {}

    open func deselectRow(at indexPath: IndexPath, animated: Bool) {}
}

@MainActor
open class UITableViewCell: UIView {
    public enum CellStyle: Int, Sendable {
        case `default`, value1, value2, subtitle
    }

    public enum AccessoryType: Int, Sendable {
        case none, disclosureIndicator, detailDisclosureButton, checkmark, detailButton
    }

    public enum SelectionStyle: Int, Sendable {
        case none, blue, gray, `default`
    }

    public init(style: CellStyle, reuseIdentifier: String?) { super.init() }

    public required init?(coder: NSCoder) { super.init(coder: coder) }

    open var accessoryType: AccessoryType = .none
    open var accessoryView: UIView?
    open var contentConfiguration: (any UIContentConfiguration)?
    open var contentView: UIView { fatalError() }
    open var selectionStyle: SelectionStyle = .default

    open func defaultContentConfiguration() -> UIListContentConfiguration { fatalError() }

    open func prepareForReuse() {}
}

@MainActor
open class UITableViewController: UIViewController {
    public init(style: UITableView.Style) { super.init() }

    public override init(nibName nibNameOrNil: String? = nil, bundle nibBundleOrNil: Bundle? = nil) {
        super.init(nibName: nibNameOrNil, bundle: nibBundleOrNil)
    }

    public required init?(coder: NSCoder) { super.init(coder: coder) }

    open var refreshControl: UIRefreshControl?
    // swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
    open var tableView: UITableView! {
        get { fatalError() }
        set {}
    }

    open func numberOfSections(in tableView: UITableView) -> Int { fatalError() }

    open func tableView(_ tableView: UITableView, numberOfRowsInSection section: Int) -> Int { fatalError() }

    open func tableView(_ tableView: UITableView, cellForRowAt indexPath: IndexPath) -> UITableViewCell { fatalError() }

    open func tableView(_ tableView: UITableView, titleForHeaderInSection section: Int) -> String? { fatalError() }

    open func tableView(_ tableView: UITableView, titleForFooterInSection section: Int) -> String? { fatalError() }

    open func tableView(_ tableView: UITableView, didSelectRowAt indexPath: IndexPath) {}

    open func tableView(_ tableView: UITableView, accessoryButtonTappedForRowWith indexPath: IndexPath) {}
}

// MARK: Contents of cells

@MainActor
public protocol UIContentConfiguration {}

public struct UIListContentConfiguration: UIContentConfiguration {
    public struct ImageProperties {
        public var cornerRadius: CGFloat
        public var maximumSize: CGSize
        public var reservedLayoutSize: CGSize
        public var tintColor: UIColor?
    }

    public struct TextProperties {
        public var color: UIColor
        public var font: UIFont
        public var numberOfLines: Int
    }

    public var image: UIImage?
    public var imageProperties: ImageProperties
    public var secondaryText: String?
    public var secondaryTextProperties: TextProperties
    public var text: String?
    public var textProperties: TextProperties

    public static func cell() -> UIListContentConfiguration { fatalError() }

    public static func subtitleCell() -> UIListContentConfiguration { fatalError() }

    public static func valueCell() -> UIListContentConfiguration { fatalError() }
}
