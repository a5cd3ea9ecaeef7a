import Daybook
import DaybookEngine
import DaybookEventCore
import DaybookGQL
package import DaybookJSON
import DaybookProjections
import GRDB

/// What a call could not do, as its caller reads it: what happened, and what to do next.
package struct CallFailure: Error {
  package var message: String
  package var cure: String?
  /// What the caller may have meant, such as the entities that have an id.
  package var choices: [JSONValue] = []

  package init(_ message: String, cure: String? = nil, choices: [JSONValue] = []) {
    self.message = message
    self.cure = cure
    self.choices = choices
  }

  /// Makes the failure of an error of the store or of SQL.
  package init(_ error: any Error) {
    switch error {
    case let failure as CallFailure: self = failure
    case let error as StoreError:
      self.init(error.message, cure: error.hint, choices: error.choices.map(AnswerJSON.vertex))
    case let error as GQLError: self.init(error)
    case let error as DatabaseError:
      self.init("SQL: \(error.message ?? "\(error.resultCode)")", cure: "`schema` lists the tables")
    case is CancellationError:
      self.init("the call was cancelled")
    case let error as any ExplainedError:
      self.init(error.explanation, cure: error.hint)
    default: self.init("\(error)")
    }
  }

  package var text: String {
    var text = message
    if let cure { text += ". \(cure)" }
    guard !choices.isEmpty else { return text }
    var writer = JSONWriter()
    writer.value(.array(choices))
    return text + ". Choices: \(writer.string)"
  }
}
