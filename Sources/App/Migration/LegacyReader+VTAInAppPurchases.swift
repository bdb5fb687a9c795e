internal import Foundation
internal import Vitrine
internal import VitrineCatalog
internal import VitrineFileSystem
internal import VitrinePropertyList
internal import VitrineSupport

/// Reading of the records of VTAInAppPurchases. Balances are in the preferences under the names of the wallets,
/// unlocked products in a list in the preferences and in the library's copy of the catalog, and hosted content in
/// Documents.
extension LegacyReader {
    private static let unlockedKey = "VTAInAppPurchasesInstantUnlockKey"
    private static let cacheName = "VTAInAppPurchasesCache.plist"
    /// Key under which older versions of VTAInAppPurchases stored a dictionary of purchased products by identifier.
    private static let oldListKey = "purchases.plist"

    func readVTAInAppPurchases(into findings: inout LegacyFindings) {
        for wallet in findings.wallets { readBalance(of: wallet, into: &findings) }
        readOwnedIdentifiers(under: Self.unlockedKey, holdsConsumables: false, into: &findings)
        if !readCachedCatalog(into: &findings) { readOldList(into: &findings) }
        readContent(into: &findings)
    }

    private func readBalance(of wallet: String, into findings: inout LegacyFindings) {
        guard let value = preferences.value(forKey: wallet) else { return }
        let source = "\(wallet.quoted) in the preferences"
        do throws(UnusableValue) {
            // The library read balances with `integer(forKey:)`.
            guard let number = value.userDefaultsInteger.map(ForeignNumber.integer) ?? value.number else {
                throw UnusableValue(expected: "a number", found: value.typeName)
            }
            findings.addUnits(try number.count(), to: wallet, source: source)
        } catch {
            findings.addUnreadable(error, source: source)
        }
    }

    /// Reads the library's copy of the catalog, and adds the products that it records as purchased.
    ///
    /// - Returns: `true` if the copy of the catalog records purchases, as newer versions of the library write it.
    private func readCachedCatalog(into findings: inout LegacyFindings) -> Bool {
        for (folder, name) in [(documents, "Documents"), (caches, "Caches")] {
            let source = "\(Self.cacheName) in \(name)"
            let file = folder.appending(path: Self.cacheName, directoryHint: .notDirectory)
            do throws(UnusableValue) {
                guard let document = try LegacyFile.propertyList(at: file) else { continue }
                guard document.root.kind == .array else {
                    throw UnusableValue(expected: "an array", found: document.root.kind.typeName)
                }
                return readProducts(document.root.elements, source: source, into: &findings)
            } catch {
                findings.addUnreadable(error, source: source)
            }
        }
        return false
    }

    /// Reads the products in the library's copy of the catalog, and adds those that it records as purchased.
    ///
    /// - Returns: `true` if any product records whether it was purchased.
    private func readProducts(
        _ products: [PropertyListValue], source: String, into findings: inout LegacyFindings
    ) -> Bool {
        var saysWhatWasBought = false
        for (index, product) in products.enumerated() {
            do throws(UnusableValue) {
                guard product.kind == .dictionary else {
                    throw UnusableValue(expected: "a dictionary", found: product.kind.typeName)
                }
                guard let flag = product["purchased"] else { continue }
                saysWhatWasBought = true
                guard try Self.isTrue(flag), try product["consumable"].map(Self.isTrue) != true else { continue }
                guard let identifier = product["productIdentifier"]?.string, !identifier.isEmpty else {
                    throw UnusableValue(reason: "was purchased, but has no productIdentifier")
                }
                findings.addOwned(LegacyState.OwnedProduct(identifier: identifier, source: source))
            } catch {
                findings.addUnreadable("product \(index + 1) \(error.reason)", source: source)
            }
        }
        return saysWhatWasBought
    }

    /// Returns the value of a flag. On 32-bit devices, where Objective-C's `BOOL` is a character, a flag is written as
    /// an integer.
    private static func isTrue(_ flag: PropertyListValue) throws(UnusableValue) -> Bool {
        if let boolean = flag.boolean { return boolean }
        if let integer = flag.integer, (0...1).contains(integer) { return integer == 1 }
        throw UnusableValue(reason: "contains \(flag.kind.typeName) where a boolean is required")
    }

    private func readOldList(into findings: inout LegacyFindings) {
        guard let value = preferences.value(forKey: Self.oldListKey) else { return }
        let source = "\(Self.oldListKey) in the preferences"
        guard case .dictionary(let products) = value else {
            return findings.addUnreadable(
                UnusableValue(expected: "a dictionary", found: value.typeName).reason, source: source)
        }
        for identifier in products.keys.sorted() where !identifier.isEmpty {
            findings.addOwned(LegacyState.OwnedProduct(identifier: identifier, source: source))
        }
    }

    // MARK: Content

    private func readContent(into findings: inout LegacyFindings) {
        let owned = Set(findings.state.owned.map(\.identifier))
        for product in catalog.products where owned.contains(product.identifier) {
            guard let path = product.hostedContentPath, !path.isEmpty else { continue }
            do {
                guard let folder = try folder(at: path) else { continue }
                findings.addContent(LegacyState.Content(productIdentifier: product.identifier, folder: folder))
            } catch {
                findings.addUnreadable(error, source: "\(path.description.quoted) in Documents")
            }
        }
    }

    /// Returns the folder in Documents where the library has installed the content at a path.
    ///
    /// - Returns: `nil` if there is no such folder.
    private func folder(at path: ContentPath) throws(UnusableValue) -> URL? {
        var folder = documents
        for name in path.components {
            folder.append(component: name, directoryHint: .isDirectory)
            switch kindOfItem(at: folder) {
            case nil: return nil
            case .typeDirectory?: continue
            case .typeSymbolicLink?: throw UnusableValue(reason: "\(name.quoted) is a symbolic link")
            default: throw UnusableValue(reason: "\(name.quoted) is not a folder")
            }
        }
        return folder
    }

    /// Returns the type of a file without following links; `nil` if the file does not exist, or access is not
    /// permitted.
    private func kindOfItem(at url: URL) -> FileAttributeType? {
        let attributes = try? FileManager.default.attributesOfItem(atPath: url.systemPath)
        return attributes?[.type] as? FileAttributeType
    }
}
