/// Lets other tasks run until a condition is met, or a thousand times.
package func letTasksRun(until condition: () -> Bool) async {
    for _ in 0..<1_000 where !condition() { await Task.detached {}.value }
}
