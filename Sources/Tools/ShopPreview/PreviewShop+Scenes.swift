internal import Foundation
internal import VitrineFileSystem
internal import VitrinePropertyList
internal import VitrineSupport

extension PreviewShop {
    /// Scenes of the catalog, from the file beside it.
    package var scenes: [PreviewScene] { sceneFile.scenes }

    /// Saves the actions so far as a scene, replaces a scene with the same name, and writes the file of scenes. The text
    /// of all other scenes in the file remains as it is.
    ///
    /// - Throws: ``PreviewError``: `invalidRequest` for a name that is empty or too long; `unusableData` while the
    ///   file of scenes is unusable; `tooMany`; `storage`; `closed`.
    package func save(scene name: String, view: PreviewView) async throws(PreviewError) {
        try await beginTurn()
        defer { endTurn() }
        try readScenesForChange()
        var next = sceneFile
        try next.set(PreviewScene(name: name, actions: steps.compactMap(\.action), view: view))
        try write(next)
    }

    /// Removes a scene, and writes the file of scenes.
    ///
    /// - Throws: ``PreviewError``: `invalidRequest` if there is no such scene; otherwise as ``save(scene:view:)``.
    package func remove(scene name: String) async throws(PreviewError) {
        try await beginTurn()
        defer { endTurn() }
        try readScenesForChange()
        var next = sceneFile
        try next.remove(name)
        try write(next)
    }

    /// Opens a scene: starts a new session and performs the scene's actions, which become the timeline.
    ///
    /// - Returns: View of the scene.
    /// - Throws: ``PreviewError``: `invalidRequest` if there is no such scene; `storage`; `closed`.
    package func open(scene name: String) async throws(PreviewError) -> PreviewView {
        try await beginTurn()
        defer { endTurn() }
        guard let scene = sceneFile.scene(name) else { throw .invalid("there is no scene \(name.plain(100))") }
        let date = clockStart
        let planned = scene.actions.map { action in
            PreviewStep(
                number: 0, kind: .action, action: action, title: "", result: "", outcome: .done, date: date, events: [])
        }
        try await rebuild([steps[0]] + planned, catalog, store)
        changed()
        return scene.view
    }

    /// Reads the file of scenes. If it is unusable, the last valid scenes remain.
    func readScenes() {
        do {
            sceneFile = try SceneFile(url: files.scenes)
            scenesError = nil
            overviewVersion += 1
        } catch {
            scenesError = error
        }
    }

    /// Checks that the last version of the file of scenes is usable.
    ///
    /// - Throws: ``PreviewError`` `unusableData`.
    package func checkScenes() throws(PreviewError) {
        if let scenesError { throw PreviewError(code: .unusableData, reason: scenesError.description) }
    }

    /// Reads the file of scenes before it is changed, so that no change of another program is overwritten.
    ///
    /// - Throws: ``PreviewError`` `unusableData` if the file is unusable.
    private func readScenesForChange() throws(PreviewError) {
        watch.note(files.scenes)
        readScenes()
        try checkScenes()
    }

    private func write(_ next: SceneFile) throws(PreviewError) {
        do {
            try DurableFile.write(Data(next.text), to: files.scenes, like: FileStatus(files.scenes))
        } catch {
            throw PreviewError(
                code: .storage, reason: "\(files.scenes.lastPathComponent) cannot be written: \(error)")
        }
        watch.note(files.scenes)
        sceneFile = next
        forgetOverviews(except: next.scenes)
        changed()
    }
}
