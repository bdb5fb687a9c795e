internal import Foundation
internal import VitrineFileSystem
internal import VitrinePropertyList
internal import VitrineSupport

/// Scenes of a catalog in the property list beside it: an array of dictionaries with the keys `name`, `actions` and
/// `view`. An action is a dictionary of its fields.
struct SceneFile: Sendable {
    private(set) var scenes: [PreviewScene] = []
    /// Bytes of the file, with the changes since it was read; empty if there is no file.
    private(set) var text: [UInt8] = []

    static let mostScenes = 100
    static let mostActions = 400
    private static let longestName = 100
    private static let limits = PropertyListLimits(
        size: 4 * 1_024 * 1_024, depth: 8, nodes: 500_000, stringLength: 20_000, keyLength: 100)

    init() {}

    /// Reads a file of scenes. A missing file contains no scenes.
    ///
    /// - Throws: ``PreviewFileError`` with the position of the error.
    init(url: URL) throws(PreviewFileError) {
        let name = url.lastPathComponent
        let document: PropertyListDocument
        do {
            text = Array(try BoundedFile.read(url, limit: Self.limits.size))
            document = try PropertyListDocument(bytes: text, limits: Self.limits)
        } catch let error as PropertyListError {
            throw PreviewFileError(name, error.reason, error.position)
        } catch let error as FileSystemError where error.isMissing {
            return
        } catch {
            throw PreviewFileError(name, "\(error)")
        }
        guard document.root.kind == .array else {
            throw PreviewFileError(name, "the file must be an array of scenes", document.root.position)
        }
        do throws(SceneError) {
            for value in document.root.elements {
                let scene = try Self.scene(value)
                do throws(PreviewError) {
                    try add(scene)
                } catch {
                    throw SceneError(reason: error.reason, position: value.position)
                }
            }
        } catch {
            throw PreviewFileError(name, error.reason, error.position)
        }
    }

    func scene(_ name: String) -> PreviewScene? { scenes.first { $0.name == name } }

    /// Adds a scene, or replaces the scene with the same name, also in the text.
    mutating func set(_ scene: PreviewScene) throws(PreviewError) {
        let index = scenes.firstIndex { $0.name == scene.name }
        if let index {
            try Self.check(scene)
            scenes[index] = scene
        } else {
            try add(scene)
        }
        try edit { (array: inout PropertyListArrayText) throws(PropertyListError) in
            if let index { try array.replace(index, by: scene.content) } else { try array.append(scene.content) }
        }
    }

    mutating func remove(_ name: String) throws(PreviewError) {
        guard let index = scenes.firstIndex(where: { $0.name == name }) else {
            throw .invalid("there is no scene \(name.plain(100))")
        }
        scenes.remove(at: index)
        try edit { (array: inout PropertyListArrayText) throws(PropertyListError) in try array.remove(index) }
    }

    private mutating func add(_ scene: PreviewScene) throws(PreviewError) {
        try Self.check(scene)
        guard !scenes.contains(where: { $0.name == scene.name }) else {
            throw .invalid("there are two scenes \(scene.name)")
        }
        guard scenes.count < Self.mostScenes else {
            throw PreviewError(code: .tooMany, reason: "a catalog has at most \(Self.mostScenes) scenes")
        }
        scenes.append(scene)
    }

    private static func check(_ scene: PreviewScene) throws(PreviewError) {
        guard !scene.name.isEmpty, scene.name.count <= Self.longestName,
            !scene.name.unicodeScalars.contains(where: \.isControl)
        else {
            throw .invalid("the name of a scene must have from 1 to \(Self.longestName) characters on one line")
        }
        guard scene.actions.count <= Self.mostActions else {
            throw PreviewError(code: .tooMany, reason: "a scene has at most \(Self.mostActions) actions")
        }
    }

    /// Changes one scene in the text, after ``scenes`` has changed. A text that cannot be changed in one place, such as
    /// a binary property list, is written anew.
    private mutating func edit(
        _ change: (inout PropertyListArrayText) throws(PropertyListError) -> Void
    ) throws(PreviewError) {
        do {
            if var array = PropertyListArrayText(text, limits: Self.limits) {
                try change(&array)
                text = array.bytes
            } else {
                text = try PropertyListContent.array(scenes.map(\.content)).bytes()
            }
        } catch {
            throw PreviewError(code: .invalidRequest, reason: error.reason)
        }
    }

    // MARK: Reading

    private static func scene(_ value: PropertyListValue) throws(SceneError) -> PreviewScene {
        guard value.kind == .dictionary else {
            throw SceneError(reason: "a scene must be a dictionary", position: value.position)
        }
        for entry in value.entries where !["name", "actions", "view"].contains(entry.key) {
            throw SceneError(reason: "\(entry.key.plain(50)) is not a key of a scene", position: entry.keyPosition)
        }
        guard let name = value["name"]?.string else {
            throw SceneError(reason: "the scene has no name", position: value.position)
        }
        var actions: [PreviewAction] = []
        for element in value["actions"]?.elements ?? [] {
            let fields = try fields(of: element)
            do {
                actions.append(try PreviewAction(fields: fields))
            } catch {
                throw SceneError(reason: error.reason, position: element.position)
            }
        }
        guard let view = value["view"] else { return PreviewScene(name: name, actions: actions, view: PreviewView()) }
        let viewFields = try fields(of: view)
        do {
            return PreviewScene(name: name, actions: actions, view: try PreviewView(fields: viewFields))
        } catch {
            throw SceneError(reason: error.reason, position: view.position)
        }
    }

    private static func fields(of value: PropertyListValue) throws(SceneError) -> [String: String] {
        guard value.kind == .dictionary else {
            throw SceneError(reason: "a dictionary is expected here", position: value.position)
        }
        var fields: [String: String] = [:]
        for entry in value.entries {
            guard let text = entry.value.string ?? entry.value.integer.map(String.init) else {
                throw SceneError(
                    reason: "\(entry.key.plain(50)) must be a string or an integer", position: entry.value.position)
            }
            fields[entry.key] = text
        }
        return fields
    }
}

extension PreviewScene {
    fileprivate var content: PropertyListContent {
        .dictionary([
            "name": .string(name),
            "actions": .array(actions.map { .dictionary($0.fields.mapValues { .string($0) }) }),
            "view": .dictionary(view.fields.mapValues { .string($0) }),
        ])
    }
}

/// Error in a scene, with its position in the file.
private struct SceneError: Error {
    let reason: String
    let position: SourcePosition?
}
