import OpenStoreKitTest
import Synchronization
import Testing
import VitrineTestSupport

/// Names of the original StoreKit API, with which nothing is sold.
@Suite(.hangLimit) struct OriginalStoreKitTests {
    /// Observer and delegate with the methods that Apple requires, and one that is optional.
    private final class Listener: NSObject, SKPaymentTransactionObserver, SKProductsRequestDelegate {
        let states = Mutex<[SKPaymentTransactionState]>([])
        let codes = Mutex<[SKError.Code?]>([])

        func paymentQueue(_ queue: SKPaymentQueue, updatedTransactions transactions: [SKPaymentTransaction]) {
            states.withLock { $0 += transactions.map(\.transactionState) }
            codes.withLock { $0 += transactions.map { ($0.error as? SKError)?.code } }
        }

        func productsRequest(_ request: SKProductsRequest, didReceive response: SKProductsResponse) {
            Issue.record("the store has replied")
        }

        func request(_ request: SKRequest, didFailWithError error: any Error) {
            codes.withLock { $0.append((error as? SKError)?.code) }
        }
    }

    @Test func `a payment fails, and each observer receives it until it is removed`() {
        let (queue, first, second) = (SKPaymentQueue(), Listener(), Listener())
        queue.add(first)
        queue.add(first)
        queue.add(second)
        #expect(!SKPaymentQueue.canMakePayments())

        queue.add(SKPayment(product: SKProduct()))
        queue.remove(second)
        queue.add(SKPayment(product: SKProduct()))
        queue.restoreCompletedTransactions()

        #expect(first.states.withLock(\.self) == [.failed, .failed])
        #expect(second.states.withLock(\.self) == [.failed])
        #expect(first.codes.withLock(\.self) == [.paymentNotAllowed, .paymentNotAllowed])
        #expect(queue.transactions.isEmpty)
    }

    @Test func `the queue does not retain its observers`() {
        let queue = SKPaymentQueue()
        withExtendedLifetime(Listener()) { listener in
            queue.add(listener)
            #expect(queue.transactionObservers.count == 1)
        }
        #expect(queue.transactionObservers.isEmpty)
    }

    @Test func `requests for products and receipts fail`() {
        let listener = Listener()
        let products = SKProductsRequest(productIdentifiers: ["map"])
        for request in [products, SKReceiptRefreshRequest(receiptProperties: nil)] {
            request.delegate = listener
            request.start()
        }
        #expect(listener.codes.withLock(\.self) == [.paymentNotAllowed, .paymentNotAllowed])
    }
}
