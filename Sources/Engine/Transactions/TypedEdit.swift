import DaybookEventCore
import DaybookProjections
import DaybookTexts

/// What several calls in a row type into one text: they become one operation.
///
/// The operation is written before anything else is read or written.
struct TypedEdit {
  /// The names by which the caller knows the collection and the field.
  let collection: String
  let field: String
  /// The entity before the operation.
  let handle: EntityHandle
  /// The operation, without its script.
  let operation: TextEdit
  /// What was typed.
  var scripts = ScriptSeries()
  /// The operation's number in the event; the next one has another number.
  let number: Int

  func isOf(_ collection: String, _ id: String, _ field: String) -> Bool {
    operation.id.isSame(as: id) && self.field == field && self.collection == collection
  }
}

/// A text by the names that a caller knows it by.
struct ScriptedPlace: Equatable {
  let collection: String
  let id: String
  let field: String

  static func == (a: Self, b: Self) -> Bool {
    a.id.isSame(as: b.id) && a.field == b.field && a.collection == b.collection
  }
}

extension WriteTransaction {
  /// Changes the text that the call before has typed into.
  /// - Returns: false if the call before did something else. Nothing has happened then.
  func goOnTyping(
    _ collection: String, _ id: String, _ field: String,
    _ change: (inout EditableText) throws -> Void
  ) throws -> Bool {
    guard let number = typing?.number, typing?.isOf(collection, id, field) == true,
      var text = typedText
    else { return false }
    try requireUsable()
    // The only reference to the text, so that it is changed in place. If `change` throws, the next
    // call reads the text again.
    typedText = nil
    text.forgetChanges()
    try change(&text)
    let script = text.script
    // The closure may have called the transaction, which has then written what was typed before.
    guard typing?.number == number, !text.isComparison || script.isEmpty else {
      if !script.isEmpty {
        try edit(collection, id, field, by: script, isComparison: text.isComparison)
      }
      return true
    }
    if !script.isEmpty { typing?.scripts.append(script) }
    typedText = text
    return true
  }

  /// Writes what was typed as an operation, if there is anything.
  func writeTyped() throws {
    guard let typed = typing else { return }
    forgetTyped()
    let script = typed.scripts.whole
    guard !script.isEmpty else { return }
    var operation = typed.operation
    operation.script = script.encoded
    try apply(.edit(operation), to: typed.handle)
  }

  /// Drops what was typed, because the part of the transaction that did so has failed.
  func forgetTyped() { (typing, typedText) = (nil, nil) }
}
