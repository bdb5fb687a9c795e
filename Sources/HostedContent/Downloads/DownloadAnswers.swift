/// Hands the results of downloads to waiting callers, whichever of the two arrives first.
struct DownloadAnswers {
    typealias Answer = Result<InstalledContent, ContentError>

    private var last = 0
    private var open: Set<Int> = []
    private var given: [Int: Answer] = [:]
    private var waiting: [Int: CheckedContinuation<Answer, Never>] = [:]

    /// - Returns: Number of a new caller.
    mutating func add() -> Int {
        last += 1
        open.insert(last)
        return last
    }

    mutating func wait(for number: Int, _ continuation: CheckedContinuation<Answer, Never>) {
        guard let answer = given.removeValue(forKey: number) else {
            waiting[number] = continuation
            return
        }
        open.remove(number)
        continuation.resume(returning: answer)
    }

    /// Gives a result to the callers that have none yet.
    mutating func give(_ answer: Answer, to numbers: [Int]) {
        for number in numbers where open.contains(number) && given[number] == nil {
            if let continuation = waiting.removeValue(forKey: number) {
                open.remove(number)
                continuation.resume(returning: answer)
            } else {
                given[number] = answer
            }
        }
    }
}
