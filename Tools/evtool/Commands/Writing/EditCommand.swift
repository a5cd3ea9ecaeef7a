import ArgumentParser
import Daybook
import EventCore
import Foundation
import Projections
import Texts

/// The command `evtool edit`.
struct EditCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "edit",
    abstract: "Opens a text in an editor, and writes what was changed.",
    discussion: """
      The editor is $VISUAL, else $EDITOR, else vi. What was changed is written as one edit, which \
      merges with what others have changed, also while the editor was open. If the text cannot be \
      written, it stays in a file, which is named.

      Example:
        EDITOR=nano evtool edit notes.daybook notes n1 body
      """)

  @OptionGroup var write: WriteOptions
  @Argument(help: "A text field.")
  var field: String

  func run() async throws {
    let (collection, id, field) = (write.collection, write.id, field)
    let before = try await text()
    let file = FileManager.default.temporaryDirectory
      .appending(path: "evtool-edit-\(UUID()).txt")
    try Data(before.utf8).write(to: file)
    try Self.open(file)
    let bytes = try Data(contentsOf: file)
    guard let after = String(validating: bytes, as: UTF8.self) else {
      throw Failure(
        .usage, "the text in \(file.path) is no UTF-8", hint: "Save it as UTF-8, and try again")
    }
    do {
      try await write.run("edited") { transaction in
        try transaction.edit(collection, id, field) { text in
          // What came in meanwhile stays.
          let since = TextScript(from: before, to: text.text)
          try text.apply(TextScript(from: before, to: after).rebased(over: since, isFirst: false))
        }
      }
    } catch {
      StandardError.line("evtool: the text is kept in \(file.path)")
      throw error
    }
    try? FileManager.default.removeItem(at: file)
  }

  private func text() async throws -> String {
    let (collection, id, name) = (write.collection, write.id, field)
    return try await write.store.read { store in
      try await Entities.requireCollection(collection, store)
      guard let entity = try await store.fetch(collection, id) else {
        throw Failure(
          .problem, "there is no \(id.quotedForMessage) in \(collection)", hint: "Insert it first")
      }
      let schema = try await store.schema()[collection]
      guard let declared = schema?[field: name], declared.type == .text else {
        throw Failure(
          .usage, "\(collection) has no text field \(name.quotedForMessage)",
          hint: NameSuggestion.hint(
            for: name, among: schema?.fields.filter { $0.type == .text }.map(\.name) ?? [],
            none: "It has no field of type text"))
      }
      guard case .text(let text) = entity[declared.name] else { return "" }
      return text
    }
  }

  /// Runs the editor, and waits until it ends.
  private static func open(_ file: URL) throws {
    let environment = ProcessInfo.processInfo.environment
    let editor = environment["VISUAL"] ?? environment["EDITOR"] ?? "vi"
    let process = Process()
    process.executableURL = URL(filePath: "/bin/sh")
    // The shell takes the editor's own arguments apart: EDITOR may be “code --wait”.
    process.arguments = ["-c", "exec \(editor) \"$1\"", "sh", file.path]
    try process.run()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else {
      throw Failure(
        .problem, "the editor “\(editor)” has ended with \(process.terminationStatus)",
        hint: "Nothing was written; the text is in \(file.path)")
    }
  }
}
