#if Macros
  import SwiftDiagnostics
  import SwiftSyntax
  import SwiftSyntaxBuilder
  import SwiftSyntaxMacros

  /// What is wrong with a declaration, in words that say what to write instead.
  final class Findings {
    private(set) var diagnostics: [Diagnostic] = []

    /// Notes one thing that is wrong.
    /// - Parameter id: a name for the kind of mistake, which stays as it is.
    func report(
      _ node: some SyntaxProtocol, _ id: String, _ message: String, fixes: [FixIt] = []
    ) {
      diagnostics.append(
        Diagnostic(node: Syntax(node), message: Words(message, id: id), fixIts: fixes))
    }

    func emit(to context: some MacroExpansionContext) {
      for diagnostic in diagnostics { context.diagnose(diagnostic) }
    }
  }

  /// The text of a message or of a fix.
  struct Words: DiagnosticMessage, FixItMessage {
    let message: String
    let diagnosticID: MessageID
    let severity = DiagnosticSeverity.error

    init(_ message: String, id: String) {
      self.message = message
      diagnosticID = MessageID(domain: "DaybookMacros", id: id)
    }

    var fixItID: MessageID { diagnosticID }
  }

  extension FixIt {
    /// A fix that puts one node in the place of another.
    static func replacing(
      _ old: some SyntaxProtocol, with new: some SyntaxProtocol, _ words: String
    ) -> FixIt {
      .replace(message: Words(words, id: "fix"), oldNode: old, newNode: new)
    }
  }

  /// Returns a list for a message: “a”, “b” and “c”.
  func list(_ names: [String]) -> String {
    let quoted = names.map { "“\($0)”" }
    guard let last = quoted.last, quoted.count > 1 else { return quoted.first ?? "" }
    return quoted.dropLast().joined(separator: ", ") + " and " + last
  }
#endif
