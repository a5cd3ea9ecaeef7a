import Foundation
import Testing

/// The target for SwiftUI, compiled with a stand-in of that module: this system has none.
@Suite struct SwiftUITests {
  @Test("the target DaybookUI compiles where there is SwiftUI, and an app's views on top of it")
  func compiles() throws {
    let built = try BuiltModules()
    let folder = FileManager.default.temporaryDirectory.appending(path: "swiftui-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let strict = [
      "ExistentialAny", "InternalImportsByDefault", "MemberImportVisibility",
      "NonisolatedNonsendingByDefault",
    ].flatMap { ["-enable-upcoming-feature", $0] }

    func compile(_ module: String, _ files: [String], _ settings: [String]) throws {
      let paths = files.map { SourceTree.root.appending(path: $0).path }
      #expect(!paths.isEmpty)
      let run = try BuiltModules.run(
        "swiftc",
        ["-emit-module", "-parse-as-library", "-swift-version", "6", "-module-name", module]
          + ["-emit-module-path", folder.appending(path: "\(module).swiftmodule").path]
          + ["-I", folder.path] + settings + built.arguments + paths)
      #expect(run.status == 0 && run.output.isEmpty, "\(module): \(run.output)")
    }

    try compile("SwiftUI", ["Tests/SwiftUIStandIn/SwiftUI.swift"], [])
    let sources = SourceTree.files(below: "Sources/DaybookUI", ending: ".swift")
    try compile("DaybookUI", sources, strict)
    // An app that could not name these would compile an empty module without a complaint.
    try compile("App", ["Tests/SwiftUIStandIn/NoteList.swift"], [])
  }
}
