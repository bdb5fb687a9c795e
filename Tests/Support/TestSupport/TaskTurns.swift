/// Lets the threads on which tasks run do what they have to, until something is so, or each has had a thousand turns.
package func letTasksRun(until condition: () -> Bool) async {
    for _ in 0..<1_000 where !condition() { await Task.detached {}.value }
}
