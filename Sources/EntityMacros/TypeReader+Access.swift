#if Macros
  import SwiftSyntax

  /// What stores call has to be as visible as the type.
  extension TypeReader {
    /// Whether members are seen as far as the type says; what is around it may be hidden.
    private var isSeenAsWritten: Bool {
      lexicalContext.allSatisfy { scope in
        scope.asProtocol((any WithModifiersSyntax).self)
          .map { Access($0.modifiers) == .everyone } ?? false
      }
    }

    /// Whether a member with these modifiers is hidden where the type is seen.
    /// - Parameter detail: `set` for what a setter says; nil for the member itself.
    private func hiding(
      _ modifiers: DeclModifierListSyntax, detail: String? = nil, in shape: EntityShape
    ) -> DeclModifierSyntax? {
      modifiers.first { modifier in
        guard modifier.detail?.detail.text == detail else { return false }
        switch modifier.name.text {
        case "private": return true
        case "fileprivate": return shape.access > .hidden
        case "internal": return shape.access > .module && isSeenAsWritten
        case "package": return shape.access > .package && isSeenAsWritten
        default: return false
        }
      }
    }

    /// Whether a member without a word about its access is less visible than the type.
    private func isHidden(_ modifiers: DeclModifierListSyntax, in shape: EntityShape) -> Bool {
      hiding(modifiers, in: shape) != nil
        || isSeenAsWritten && shape.access > .module && Access(modifiers) < shape.access
    }

    /// Whether stores see and set the id.
    func isSeen(_ id: Property, _ shape: EntityShape) -> Bool {
      let modifiers = id.declaration.modifiers
      let access = shape.access.modifier
      if isHidden(modifiers, in: shape) {
        findings.report(
          id.node, "access",
          "the id must be as visible as “\(shape.name)”: write “\(access)var id = ID()”")
        return false
      }
      if let word = hiding(modifiers, detail: "set", in: shape) {
        findings.report(
          word, "access",
          "the id must be a variable, which the store sets: "
            + "remove “\(word.trimmedDescription)”")
        return false
      }
      return true
    }

    /// Checks the initializers that the author has written. Returns whether stores can call
    /// `init()`.
    func checkWritten(_ shape: EntityShape) -> Bool {
      let before = findings.diagnostics.count
      for initializer in shape.written.initializers where initializer.isEmpty {
        if let mark = initializer.optionalMark {
          findings.report(
            mark, "initializer",
            "“init\(mark.text)()” is in the place of “init()”, which stores call: "
              + "remove “\(mark.text)”, or give it a parameter")
        } else if let clause = initializer.signature.effectSpecifiers?.throwsClause {
          findings.report(
            clause, "initializer",
            "“init()” cannot throw, because stores call it: "
              + "remove “\(clause.trimmedDescription)”, or give it a parameter")
        } else if isHidden(initializer.modifiers, in: shape) {
          findings.report(
            initializer.initKeyword, "access",
            "“init()” must be as visible as “\(shape.name)”, because stores call it: "
              + "write “\(shape.access.modifier)init()”, or give it a parameter")
        }
      }
      for initializer in shape.written.conditions.flatMap(\.clauses).flatMap(\.initializers)
      where initializer.isEmpty {
        findings.report(
          initializer.initKeyword, "initializer",
          "“init()” cannot be in “#if”, because stores call it in each build: move it out, "
            + "or give it a parameter")
      }
      return findings.diagnostics.count == before
    }
  }
#endif
