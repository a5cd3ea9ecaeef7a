import ArgumentParser
import Daybook
import DaybookDisk
import DaybookEventCore
import DaybookProjections
import DaybookTexts
import Foundation

/// The command `evtool edit`.
struct EditCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "edit",
    abstract: "Opens a text in an editor, and writes what was changed.",
    discussion: """
      The editor is $VISUAL, else $EDITOR, else vi. What was changed is written as one edit, which \
      merges with what others have changed, also while the editor was open. Only you can read the \
      file that the editor opens. If the text cannot be written, or the editor fails, the file \
      stays, and is named.

      Example:
        EDITOR=nano evtool edit notes.daybook notes n1 body
      """)

  @OptionGroup var write: WriteOptions
  @Argument(help: "A text field.")
  var field: String

  func run() async throws {
    let (collection, id, field) = (write.collection, write.id, field)
    let before = try await text()
    let draft = try Draft.create(before, name: "\(field).txt")
    do {
      try Self.open(draft.path)
      let after = try draft.edited()
      Interrupt.endAfter { draft.announce() }
      try await write.run("edited") { transaction in
        try transaction.edit(collection, id, field) { text in
          // What came in meanwhile stays.
          let since = TextScript(from: before, to: text.text)
          try text.apply(TextScript(from: before, to: after).rebased(over: since, isFirst: false))
        }
      }
    } catch {
      draft.release()
      throw error
    }
    draft.remove()
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

  /// The editor that the environment names. An empty variable names none.
  private static var editor: String {
    ["VISUAL", "EDITOR"].lazy.compactMap { Environment[$0] }
      .first { !$0.withoutIndent.isEmpty } ?? "vi"
  }

  /// Runs the editor, and waits until it ends.
  private static func open(_ path: String) throws(Failure) {
    let editor = editor
    let end: ForegroundProcess.End
    do throws(SystemError) {
      // The shell takes the editor's own arguments apart: EDITOR may be “code --wait”.
      end = try ForegroundProcess.run(["/bin/sh", "-c", "exec \(editor) \"$1\"", "sh", path])
    } catch {
      throw Failure(.usage, "the editor \(editor.quotedForMessage) cannot be run: \(error)")
    }
    let name = editor.quotedForMessage
    switch end {
    case .status(0): return
    case .status(126), .status(127):
      throw Failure(
        .usage, "the editor \(name) cannot be run, so nothing was written",
        hint: "Set VISUAL or EDITOR to the command of an editor")
    case .status(let status):
      throw Failure(.problem, "the editor \(name) has ended with \(status); nothing was written")
    case .signal(let number):
      let isInterrupt = number == SIGINT || number == SIGTERM
      throw Failure(
        isInterrupt ? .interrupted : .problem,
        "the editor \(name) was \(isInterrupt ? "interrupted" : "ended by signal \(number)"); "
          + "nothing was written")
    }
  }
}
