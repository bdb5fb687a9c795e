import Dispatch
import Testing
import VitrineSupport

struct GroupCommitTests {
    /// Database queue that waits in its first commit until the test continues it.
    private final class Scene: Sendable {
        let groups = Locked<[[Int]]>([])
        private let isCommitting = Locked(false)
        /// `true` if two commits have been in progress at the same time.
        let areSimultaneous = Locked(false)
        let gate = DispatchSemaphore(value: 0)
        /// Stream with one element when the first commit has begun.
        let began: AsyncStream<Void>
        private let begin: AsyncStream<Void>.Continuation
        private let queue = DispatchQueue(label: "database")

        init() { (began, begin) = AsyncStream<Void>.makeStream() }

        /// - Parameter inPlace: Requests that can be committed on the thread of their caller.
        func commits(
            failing: Set<Int> = [], inPlace: Set<Int> = []
        ) -> GroupCommit<Int, Result<Int, Refusal>> {
            GroupCommit { [self] request in
                inPlace.contains(request) ? commit([request], failing: failing).first : nil
            } _: { [self] turn in
                queue.async { turn { group in self.commit(group, failing: failing) } }
            }
        }

        private func commit(_ group: [Int], failing: Set<Int>) -> [Result<Int, Refusal>] {
            let isOther = isCommitting.withLock { isCommitting in
                defer { isCommitting = true }
                return isCommitting
            }
            defer { isCommitting.withLock { $0 = false } }
            if isOther { areSimultaneous.withLock { $0 = true } }
            let isFirst = groups.withLock { groups in
                groups.append(group)
                return groups.count == 1
            }
            if isFirst {
                begin.yield()
                gate.wait()
            }
            return group.map { failing.contains($0) ? .failure(Refusal()) : .success($0 * 10) }
        }
    }

    private struct Refusal: Error, Equatable {}

    /// Starts a commit of one caller, and calls of others while it is in progress.
    private func answers(of scene: Scene, count: Int, failing: Set<Int> = []) async -> [Int: Result<Int, Refusal>] {
        let commits = scene.commits(failing: failing)
        return await withTaskGroup(of: (Int, Result<Int, Refusal>).self) { group in
            group.addTask { (0, await commits.answer(to: 0)) }
            _ = await scene.began.first { true }
            for number in 1..<count { group.addTask { (number, await commits.answer(to: number)) } }
            scene.gate.signal()
            return await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
        }
    }

    @Test func `each caller of a group commit receives the answer to its own request`() async {
        let answers = await answers(of: Scene(), count: 1_000, failing: [7, 300])

        #expect(answers.count == 1_000)
        for (number, answer) in answers {
            #expect(answer == ([7, 300].contains(number) ? .failure(Refusal()) : .success(number * 10)))
        }
    }

    @Test func `requests that arrive during a commit are committed together, in groups of at most 256`() async {
        let scene = Scene()
        _ = await answers(of: scene, count: 1_000)

        let groups = scene.groups.withLock(\.self)
        #expect(groups.first == [0])
        #expect(Set(groups.joined()) == Set(0..<1_000))
        #expect(groups.joined().count == 1_000)
        #expect(groups.allSatisfy { !$0.isEmpty && $0.count <= 256 })
        #expect(groups.count < 1_000)
    }

    @Test func `a single request is committed at once, without waiting for other requests`() async {
        let scene = Scene()
        scene.gate.signal()
        let commits = scene.commits()
        for number in 0..<10 { #expect(await commits.answer(to: number) == .success(number * 10)) }

        #expect(scene.groups.withLock(\.self) == (0..<10).map { [$0] })
    }

    @Test func `requests are committed once and one after the other, by their callers or on the queue`() async {
        let scene = Scene()
        scene.gate.signal()
        let commits = scene.commits(failing: [7], inPlace: Set(stride(from: 0, to: 1_000, by: 3)))
        let answers = await withTaskGroup(of: (Int, Result<Int, Refusal>).self) { group in
            for number in 0..<1_000 { group.addTask { (number, await commits.answer(to: number)) } }
            return await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
        }

        #expect(answers.count == 1_000)
        for (number, answer) in answers {
            #expect(answer == (number == 7 ? .failure(Refusal()) : .success(number * 10)))
        }
        #expect(scene.groups.withLock { $0.joined().sorted() } == Array(0..<1_000))
        #expect(scene.areSimultaneous.withLock(\.self) == false)
    }

    @Test func `a request that cannot be committed by its caller is committed on the queue of the database`() async {
        let scene = Scene()
        scene.gate.signal()
        let commits = scene.commits(inPlace: [1, 2])
        for number in 0..<4 { #expect(await commits.answer(to: number) == .success(number * 10)) }

        #expect(scene.groups.withLock(\.self) == (0..<4).map { [$0] })
    }
}
