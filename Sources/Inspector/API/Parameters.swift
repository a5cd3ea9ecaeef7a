import DaybookAnswers
import DaybookJSON

/// The parameters that several routes have.
extension CallParameter {
  static let collection = CallParameter(
    "collection", .text, required: true, "The name of a collection.")
  static let anyCollection = CallParameter(
    "collection", .text, "The name of the only collection; left out, all.")
  static let id = CallParameter("id", .text, required: true, "The id of the entity.")
  static let at = CallParameter(
    "at", .text,
    "A moment: a time in ISO 8601, an event ORIGIN:SEQUENCE, or a version vector; left out, now.")
  static let event = CallParameter(
    "event", .text, required: true, "An event, ORIGIN:SEQUENCE.")
  static let cursor = CallParameter(
    "cursor", .text, "The cursor of the same call's last answer, to read on.")
  static func limit(_ usual: Int, _ most: Int = ResultBudget.itemsMax) -> CallParameter {
    CallParameter("limit", .integer(1...most), "The most results; left out, \(usual).")
  }
}

extension CallArguments {
  func boolean(_ name: String) -> Bool? {
    guard case .boolean(let flag)? = self[name] else { return nil }
    return flag
  }

  /// A budget for the page that the call asks for.
  func inspectorBudget(_ usual: Int = ResultBudget.itemsUsual) -> ResultBudget {
    ResultBudget(limit: integer("limit") ?? usual, bytesMax: 4 << 20)
  }
}
