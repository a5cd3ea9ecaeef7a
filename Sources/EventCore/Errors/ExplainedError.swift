/// The shape of the errors of this package's modules: what happened, where, why, and what to do
/// next.
///
/// Each module has a type of its own, with a code for each kind of error.
package protocol ExplainedError: Error {
  /// What happened, as a sentence without a full stop.
  var message: String { get }
  /// The place, in the form in which it follows the message, such as `(byte 7)`; nil if there is
  /// none, or the message names it.
  var place: String? { get }
  /// The message of the layer below; nil if it said nothing.
  var causeText: String? { get }
  /// What to do next; nil if there is no advice.
  var hint: String? { get }
}

extension ExplainedError {
  package var place: String? { nil }
  package var causeText: String? { nil }
  package var hint: String? { nil }

  /// The message with the place and the cause, without the hint.
  package var explanation: String {
    message + (place.map { " \($0)" } ?? "") + (causeText.map { ": \($0)" } ?? "")
  }

  /// Returns the explanation and, if there is one, the hint.
  /// - Parameter separator: what stands before the hint.
  package func text(hintAfter separator: String) -> String {
    explanation + (hint.map { separator + $0 } ?? "")
  }
}
