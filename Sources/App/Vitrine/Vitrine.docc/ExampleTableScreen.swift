// A sample, not a part of the library. It has not been built or run: it needs UIKit.
#if canImport(UIKit)
    import UIKit
    import Vitrine

    /// One row of a table, as it is shown.
    struct TableRow: Equatable {
        enum Action: Equatable {
            case show(String)
            case buy(String)
            case download(String)
        }

        let id: String
        let text: String
        var detail = ""
        var icon: URL?
        var isChecked = false
        /// Fraction of a running download, from 0 to 1.
        var progress: Double?
        var action: Action?
    }

    struct TableSection: Equatable {
        var title: String?
        let rows: [TableRow]
    }

    /// Table with the state of a manager, which is read again at each notification while the table is visible.
    class CatalogTableController: UITableViewController {
        let manager: CatalogManager
        private var sections: [TableSection] = []
        private var tokens: [NotificationToken] = []

        init(manager: CatalogManager) {
            self.manager = manager
            super.init(style: .grouped)
        }

        required init?(coder: NSCoder) { nil }

        /// Sections in the present state of the manager.
        var currentSections: [TableSection] { [] }

        override func viewDidLoad() {
            super.viewDidLoad()
            tableView.register(UITableViewCell.self, forCellReuseIdentifier: "row")
        }

        override func viewWillAppear(_ animated: Bool) {
            super.viewWillAppear(animated)
            let names: [Notification.Name] = [
                .vitrineStatusDidChange, .vitrineListDidUpdate, .vitrineProductsDidUpdate, .vitrineListingDidChange,
                .vitrinePurchaseDidComplete, .vitrineRestoreDidComplete, .vitrineEventsMissed,
            ]
            tokens = names.map { name in
                NotificationToken(of: name, from: manager) { [weak self] event in self?.receive(event) }
            }
            refresh()
        }

        override func viewWillDisappear(_ animated: Bool) {
            super.viewWillDisappear(animated)
            tokens = []
        }

        private func receive(_ event: CatalogEvent) {
            refresh()
            switch event {
            case .purchase(.answered(_, .pending)): say("Your purchase is not complete yet.")
            case .restore(.completed(let result)) where !result.failed.isEmpty:
                say("Some purchases could not be restored. Try again later.")
            case .restore(.completed(let result)) where !result.restored.isEmpty: say("Your purchases are restored.")
            case .restore(.completed(let result)) where !result.alreadyOwned.isEmpty:
                say("You already have everything you have bought.")
            case .restore(.completed): say("There is nothing to restore.")
            case .purchase, .restore: if let error = event.error { say(error.localizedDescription) }
            default: break
            }
        }

        /// Shows the current state. If the table has the same rows as before, only the rows that differ are updated.
        final func refresh() {
            let earlier = sections
            sections = currentSections
            guard sections.map(\.names) == earlier.map(\.names) else { return tableView.reloadData() }
            let changed = zip(sections, earlier).enumerated().flatMap { section, both in
                both.0.rows.indices.filter { both.0.rows[$0] != both.1.rows[$0] }
                    .map { IndexPath(row: $0, section: section) }
            }
            if !changed.isEmpty { tableView.reconfigureRows(at: changed) }
        }

        private func say(_ message: String) {
            let alert = UIAlertController(title: nil, message: message, preferredStyle: .alert)
            alert.addAction(UIAlertAction(title: "OK", style: .default, handler: nil))
            present(alert, animated: true, completion: nil)
        }

        /// Performs the action of a row. Notifications report the result, so that no object has to retain the screen.
        private func perform(_ action: TableRow.Action) {
            switch action {
            case .show(let id):
                let screen = ProductTableController(id: id, manager: manager)
                navigationController?.pushViewController(screen, animated: true)
            case .buy(let id): Task { [manager] in _ = await manager.purchase(id) }
            case .download(let id): Task { [manager] in _ = try? await manager.content.download(for: id) }
            }
        }

        // MARK: Table

        override func numberOfSections(in tableView: UITableView) -> Int { sections.count }

        override func tableView(_ tableView: UITableView, numberOfRowsInSection section: Int) -> Int {
            sections[section].rows.count
        }

        override func tableView(_ tableView: UITableView, titleForHeaderInSection section: Int) -> String? {
            sections[section].title
        }

        override func tableView(_ tableView: UITableView, cellForRowAt indexPath: IndexPath) -> UITableViewCell {
            let cell = tableView.dequeueReusableCell(withIdentifier: "row", for: indexPath)
            let row = sections[indexPath.section].rows[indexPath.row]
            var content = UIListContentConfiguration.subtitleCell()
            content.text = row.text
            content.secondaryText = row.detail
            content.image = row.icon.flatMap { UIImage(contentsOfFile: $0.path(percentEncoded: false)) }
            content.imageProperties.maximumSize = CGSize(width: 44, height: 44)
            cell.contentConfiguration = content
            cell.selectionStyle = row.action == nil ? .none : .default
            cell.accessoryType = row.isChecked ? .checkmark : .none
            cell.accessoryView = row.progress.map { fraction in
                let bar = UIProgressView(frame: CGRect(x: 0, y: 0, width: 64, height: 4))
                bar.progress = Float(fraction)
                return bar
            }
            return cell
        }

        override func tableView(_ tableView: UITableView, didSelectRowAt indexPath: IndexPath) {
            tableView.deselectRow(at: indexPath, animated: true)
            if let action = sections[indexPath.section].rows[indexPath.row].action { perform(action) }
        }
    }

    /// Products of the catalog, filtered by their types, and the identifiers that the App Store does not know.
    final class ShopTableController: CatalogTableController {
        private static let filters: [(title: String, kinds: [ProductKind])] = [
            ("All", ProductKind.allCases), ("Consumables", [.consumable]), ("Non-Consumables", [.nonConsumable]),
            ("Subscriptions", [.autoRenewableSubscription, .nonRenewingSubscription]),
        ]
        private var filter = 0

        override func viewDidLoad() {
            super.viewDidLoad()
            title = "Shop"
            let actions = Self.filters.indices.map { index in
                UIAction(title: Self.filters[index].title) { [weak self] _ in
                    self?.filter = index
                    self?.refresh()
                }
            }
            let control = UISegmentedControl(frame: CGRect(x: 0, y: 0, width: 320, height: 32), actions: actions)
            control.apportionsSegmentWidthsByContent = true
            control.selectedSegmentIndex = filter
            tableView.tableHeaderView = control
            // Notifications report the results.
            let reload = UIAction(title: "Reload") { [manager] _ in Task { await manager.loadProducts() } }
            let restore = UIAction(title: "Restore") { [manager] _ in Task { _ = try? await manager.restore() } }
            navigationItem.leftBarButtonItem = UIBarButtonItem(primaryAction: reload)
            navigationItem.rightBarButtonItem = UIBarButtonItem(primaryAction: restore)
        }

        override var currentSections: [TableSection] {
            let kinds = Self.filters[filter].kinds
            let products = manager.listing.filter { kinds.contains($0.kind) }
            let unknown = manager.catalog.invalidIdentifiers.map { TableRow(id: $0, text: $0) }
            let sections = [TableSection(title: loadingNote, rows: products.map(\.row))]
            return unknown.isEmpty ? sections : sections + [TableSection(title: "Not in the App Store", rows: unknown)]
        }

        private var loadingNote: String? {
            switch manager.status {
            case .productsLoading, .listLoaded: "Loading…"
            case .productsLoaded: nil
            case .listLoadFailed, .productsLoadFailed: manager.catalog.lastRequestError?.localizedDescription
            }
        }
    }

    /// One product, and what the customer can do with it.
    final class ProductTableController: CatalogTableController {
        private let id: String

        init(id: String, manager: CatalogManager) {
            self.id = id
            super.init(manager: manager)
        }

        required init?(coder: NSCoder) { nil }

        override var currentSections: [TableSection] {
            guard let product = manager.listing(for: id) else { return [] }
            var state = product.row
            (state.icon, state.action) = (product.featuredImage ?? state.icon, nil)
            let about = product.description.isEmpty ? [] : [TableRow(id: "about", text: product.description)]
            return [TableSection(rows: [state] + about), TableSection(rows: product.actions)]
        }
    }

    extension TableSection {
        /// The title, and the identifiers of the rows.
        fileprivate var names: [String?] { [title] + rows.map(\.id) }
    }

    extension ProductListing {
        fileprivate var row: TableRow {
            TableRow(
                id: id, text: title, detail: state, icon: icon, isChecked: ownership.isOwned,
                progress: isDownloading ? content?.fraction : nil, action: .show(id))
        }

        private var isDownloading: Bool { [.waiting, .active].contains(content?.download?.state) }

        private var state: String {
            switch purchase {
            case .inProgress: return "Buying…"
            case .waitingForApproval: return "Waiting for approval"
            case .delivering, nil: break
            }
            if isDownloading { return "Downloading…" }
            if content?.download?.state == .failed { return "Could not be downloaded" }
            if ownership.isOwned { return "Owned" }
            switch offer {
            case .offered: return displayPrice ?? ""
            case .notOffered(let reason): return "Not available: \(reason.description)"
            }
        }

        /// Rows that can be tapped. A request for approval can be repeated: the store does not report that it was
        /// declined.
        fileprivate var actions: [TableRow] {
            var rows: [TableRow] = []
            if isOffered, purchase == nil || purchase == .waitingForApproval {
                rows.append(TableRow(id: "buy", text: "Buy", detail: displayPrice ?? "", action: .buy(id)))
            }
            if content?.state == .notInstalled, !isDownloading {
                rows.append(TableRow(id: "download", text: "Download", action: .download(id)))
            }
            return rows
        }
    }

    /// Observation of a manager's notifications with one name, until it is released.
    private final class NotificationToken {
        private let token: any NSObjectProtocol

        init(
            of name: Notification.Name, from manager: CatalogManager,
            react: @escaping @MainActor @Sendable (CatalogEvent) -> Void
        ) {
            token = NotificationCenter.default.addObserver(forName: name, object: manager, queue: nil) { notification in
                guard let event = notification[.event] else { return }
                // A manager posts on the main actor.
                MainActor.assumeIsolated { react(event) }
            }
        }

        deinit { NotificationCenter.default.removeObserver(token) }
    }
#endif
