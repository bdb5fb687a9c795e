import Testing
import VitrinePurchasing
import VitrineTestSupport

@Suite(.hangLimit) struct HookCallsTests {
    private let sleep = ManualSleep()
    private let gate = Gate()

    private func makeCalls() -> HookCalls { HookCalls(limit: HookLimit { [sleep] in try await sleep.sleep($0) }) }

    @Test func `a task is within a hook of its own manager only, also inside a hook of another manager`() async {
        let (first, second) = (makeCalls(), makeCalls())
        func insides() -> [Bool] { [first.isInside, second.isInside] }

        #expect(insides() == [false, false])
        await first.run(.transaction("1")) {
            #expect(insides() == [true, false])
            await second.run(.download) {
                #expect(insides() == [true, true])
                #expect(second.isInside { $0 == .download })
                #expect(!second.isInside { $0 == .receipt })
                #expect(HookCalls.outside { insides() } == [false, false])
            }
            #expect(insides() == [true, false])
        }
        #expect(insides() == [false, false])
    }

    @Test func `a task that was started within a hook is outside of it when the hook has ended`() async {
        let calls = makeCalls()
        let task = await calls.run(.receipt) {
            Task { [gate] in
                await gate.pass()
                return calls.isInside
            }
        }
        await gate.open()

        #expect(await !task.value)
    }

    @Test func `the wait for a task that no hook holds up has no limit`() async {
        let calls = makeCalls()
        sleep.wakeAll()
        let task = Task { [gate] in
            await gate.pass()
            return 7
        }
        async let value = calls.value(of: task) { $0 == .transaction("1") }
        await calls.run(.transaction("2")) {}
        await gate.open()

        #expect(await value == 7)
    }

    @Test func `the wait for a task ends with its value if the hook ends within the limit`() async {
        let calls = makeCalls()
        let task = Task { [gate] in
            await calls.run(.transaction("1")) { await gate.pass() }
            return 7
        }
        await gate.arrival()
        async let value = calls.value(of: task) { $0 == .transaction("1") }
        #expect(await sleep.begun() == .seconds(30))
        await gate.open()

        #expect(await value == 7)
    }

    @Test func `the wait for a task ends without a value at the limit, and no longer waits for hooks of that kind`()
        async
    {
        let calls = makeCalls()
        let begun = Recorder<String>()
        let hooks = ["1", "2"].map { id in
            Task { [gate] in
                await calls.run(.transaction(id)) {
                    begun.record(id)
                    await gate.pass()
                }
            }
        }
        while begun.values.count < 2 { await Task.yield() }
        async let first: Void? = calls.value(of: hooks[0]) { $0 == .transaction("1") }
        _ = await sleep.begun()
        sleep.wake()

        #expect(await first == nil)
        #expect(await calls.value(of: hooks[1]) { $0 == .transaction("2") } == nil)
        #expect(calls.isOverdue(.transaction("2")))
        await gate.open()
        for hook in hooks { await hook.value }
        #expect(!calls.isOverdue(.transaction("1")))
    }
}
