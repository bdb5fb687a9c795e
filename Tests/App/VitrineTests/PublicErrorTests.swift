import Foundation
import Testing
import Vitrine
import VitrineEntitlements
import VitrineHostedContent
import VitrineNetworking
import VitrinePropertyList
import VitrinePurchasing
import VitrineReceipts
import VitrineStoreSimulator
import VitrineSupport
import VitrineTestSupport

@testable import VitrineCatalog
@testable import VitrineCatalogLoading

@Suite(.hangLimit) struct PublicErrorTests {
    private static func each<Code: ErrorCode>(_: Code.Type, in context: Code.Context) -> [any DescribedError] {
        Code.allCases.map { CodedError<Code>(code: $0, reason: "the operation failed", context: context) }
    }

    private static func each<Code: ErrorCode>(
        _ codes: Code.Type
    ) -> [any DescribedError] where Code.Context: ExpressibleByNilLiteral { each(codes, in: nil) }

    private static let catalog = CatalogError(
        code: .notFound, url: URL(filePath: "/catalog.plist"), reason: "the operation failed")

    /// Every public error, with every code.
    private static let errors: [any DescribedError] = [
        each(AppServerErrorCode.self), each(AppStoreServerErrorCode.self),
        each(CatalogErrorCode.self, in: catalog.context), each(CatalogSignatureFailureCode.self),
        each(ContentErrorCode.self), each(ContentProviderErrorCode.self), each(DiscardErrorCode.self),
        each(HTTPTransportErrorCode.self), each(ImageErrorCode.self), each(LedgerErrorCode.self),
        each(LedgerImportErrorCode.self), each(LedgerSealKeyErrorCode.self), each(OwnedContentErrorCode.self),
        each(PropertyListErrorCode.self),
        each(PurchaseFailureCode.self), each(RejectionCode.self), each(SignedDataErrorCode.self),
        each(SimulatedStoreErrorCode.self), each(StoreErrorCode.self), each(UnlockErrorCode.self),
        [
            CatalogCacheError(reason: "the cache is full"), ContentPathError(reason: "is absolute"),
            StoreConfigurationError(reason: "the file is not JSON"), LoadFailure.catalog(catalog),
            LoadFailure.products(StoreError(code: .network, reason: "the store cannot be reached")),
            LoadFailure.purchases(StoreError(code: .network, reason: "the store cannot be reached")),
            ReceiptFailure.missing, ReceiptFailure.undetermined("the server does not answer"),
            ReceiptFailure.rejected([RejectionReason(code: .device, reason: "issued for another device")]),
            ReceiptFailure.store(StoreError(code: .storage, reason: "the receipt cannot be read")),
        ],
    ].flatMap { $0 }

    private func isSentence(_ text: String) -> Bool {
        text.first.map { $0.isUppercase || $0 == "/" } == true && text.hasSuffix(".") && !text.hasSuffix("..")
    }

    @Test func `every public error describes what went wrong and what to do`() {
        for error in Self.errors {
            let name = "\(type(of: error)): \(error.codeName)"
            #expect(isSentence(error.errorDescription ?? ""), "\(name)")
            #expect(error.errorDescription == error.localizedDescription, "\(name)")
            #expect(!error.codeName.isEmpty, "\(name)")
            // The store and the app's server do not say what would help.
            guard !["store", "app"].contains((error as? RejectionReason)?.code.rawValue) else { continue }
            #expect(isSentence(error.recoverySuggestion ?? ""), "\(name)")
        }
    }

    @Test(
        arguments: [
            ("the store failed", "The store failed."), ("a, b", "A, b."), ("it is done!", "It is done!"),
            ("\"lisbon\" is missing", "\"lisbon\" is missing."), ("productValue is zero", "productValue is zero."),
            ("com.example.coins is sold", "com.example.coins is sold."), ("12:3: bad", "12:3: bad."), ("", "."),
        ]) func `the reason of an error is formatted as a sentence`(reason: String, sentence: String)
    {
        #expect(ContentError(code: .network, reason: reason).errorDescription == sentence)
    }

    @Test func `customers read errors of purchases in their language, and developers read the reason`() {
        let failure = PurchaseFailure(code: .rejected, reason: "signed for com.example.other")
        #expect(failure.localizedDescription == failure.code.customerText(for: Locale.preferredLanguages))
        #expect(failure.description == "signed for com.example.other")
        #expect(ContentErrorCode.network.customerText(for: ["de"]) == nil)
    }

    @Test func `the description of an error states the location before the reason`() {
        let list = PropertyListError(
            code: .invalidValue, reason: "no date", position: SourcePosition(line: 12, column: 3))
        #expect(list.description == "12:3: no date")
        #expect(Self.catalog.description == "/catalog.plist: the operation failed")
    }
}
