import Testing
import VitrineHostedContent
import VitrineTestSupport

/// Status of an interrupted download after the next launch.
extension ContentDownloadsTests {
    @Test(arguments: [true, false])
    func `after a relaunch the progress of a download is known, even if the process was killed`(isKilled: Bool)
        async throws
    {
        let (device, rome) = (try BackgroundDevice(), ServedArchive())
        let server = try await HoldingServer(rome)
        let wanted = try rome.wanted(at: server.url(rome))
        let app = device.launch(background: false)
        try await app.downloads.begin([wanted])
        await app.until { $0.progress.received == rome.half }
        if !isKilled { await device.end(app) }
        let next = device.launch(background: false)
        try await next.downloads.restoreStored(resumes: false) { _ in wanted }

        #expect(next.state() == .paused)
        let progress = ContentProgress(received: rome.half, total: rome.bytes.count)
        #expect(next.downloads.status(of: "rome")?.progress == progress)
        if isKilled { await device.end(app) }
    }
}
