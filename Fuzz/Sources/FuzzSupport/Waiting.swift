internal import Dispatch

/// Waits for what asynchronous code answers.
func wait<Value: Sendable>(for body: @escaping @Sendable () async -> Value) -> Value {
    let (done, answer) = (DispatchSemaphore(value: 0), Answer<Value>())
    Task.detached {
        answer.value = await body()
        done.signal()
    }
    done.wait()
    guard let value = answer.value else { fatalError("broken: there is no answer") }
    return value
}

/// Written by one task before it signals, and read by the one that has waited for the signal: that is why it may be sent.
private final class Answer<Value: Sendable>: @unchecked Sendable {
    var value: Value?
}
