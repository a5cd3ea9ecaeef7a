import Daybook
import DaybookAnswers
import DaybookEventCore
import DaybookJSON
import DaybookProjections

/// A hidden value with its reason in words, and what a person can do.
enum HiddenExplanation {
  static func json(_ value: Store.HiddenValue) -> JSONValue {
    let (word, reason, cure) = words(value)
    return .object([
      ("collection", .text(value.collection)), ("id", .text(value.id)),
      ("field", .text(value.field)), ("value", InspectorValue.json(value.value)),
      ("reason", .text(word)), ("message", .text(reason)), ("cure", .text(cure)),
    ])
  }

  private static func words(_ value: Store.HiddenValue) -> (String, String, String) {
    switch value.reason {
    case .misfit(let declared):
      (
        "misfit", "the value is not of the type \(declared.rawValue), and reads NULL",
        "Write a value of that type"
      )
    case .tooLarge(let bytes):
      (
        "too large", "the entity's row has \(bytes) bytes already, and no room for the value",
        "Write a shorter value"
      )
    case .parked(let owner):
      (
        "parked", "\(owner) has the same value, which is unique, and was there earlier",
        "Give one of the two another value"
      )
    case .cycle:
      (
        "cycle", "the reference would close a circle in a tree, and reads NULL",
        "Refer to another entity"
      )
    case .unfitEdit(let event, _):
      (
        "unfit", "the edit of event \(event) does not fit the text that its author had seen",
        "Write the text again if something is missing"
      )
    case .unreadable(let property):
      (
        "unreadable", "the property \(property) of the app's type cannot have the value",
        "Use the newer version of the app"
      )
    }
  }
}
