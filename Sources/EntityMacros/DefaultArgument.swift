#if Macros
  import SwiftSyntax

  extension Property {
    /// The default as an argument of a generated initializer.
    ///
    /// Whoever calls a public initializer has to see what is in its defaults. A default that names
    /// something else is taken from a new value of the type, which everyone can make.
    /// - Parameter shape: the type of the property.
    func defaultArgument(in shape: EntityShape) -> String? {
      guard let initializer else { return defaultText }
      let isArgument =
        shape.access > .module
        ? initializer.isVisible(as: type)
        : !initializer.is(IfExprSyntax.self) && !initializer.is(SwitchExprSyntax.self)
      return isArgument ? defaultText : "\(shape.name)().\(code)"
    }
  }

  extension ExprSyntax {
    /// Whether all that is named here is seen wherever the type of the value is: literals, the
    /// type's own members and initializers.
    fileprivate func isVisible(as type: TypeText?) -> Bool {
      switch self.as(ExprSyntaxEnum.self) {
      case .integerLiteralExpr, .floatLiteralExpr, .booleanLiteralExpr, .nilLiteralExpr: true
      case .stringLiteralExpr(let literal):
        literal.openingQuote.tokenKind == .stringQuote
          && literal.segments.allSatisfy { if case .stringSegment = $0 { true } else { false } }
      case .arrayExpr(let array): array.elements.allSatisfy { $0.expression.isVisible(as: nil) }
      case .dictionaryExpr(let dictionary):
        if case .elements(let elements) = dictionary.content {
          elements.allSatisfy { $0.key.isVisible(as: nil) && $0.value.isVisible(as: nil) }
        } else {
          true
        }
      case .prefixOperatorExpr(let prefixed): prefixed.expression.isVisible(as: type)
      case .sequenceExpr(let sequence):
        sequence.elements.allSatisfy {
          $0.is(BinaryOperatorExprSyntax.self) || $0.isVisible(as: type)
        }
      case .memberAccessExpr(let member):
        member.base.map { type?.isNamed($0.trimmedDescription) ?? false } ?? true
      case .functionCallExpr(let call):
        call.trailingClosure == nil
          && call.arguments.allSatisfy { $0.expression.isVisible(as: nil) }
          && call.calledExpression.isMade(of: type)
      default: false
      }
    }

    /// Whether this names an initializer or a member of a type.
    private func isMade(of type: TypeText?) -> Bool {
      if let type, type.isNamed(trimmedDescription) { return true }
      guard let member = self.as(MemberAccessExprSyntax.self) else { return false }
      return member.base.map { type?.isNamed($0.trimmedDescription) ?? false } ?? true
    }
  }

  extension TypeText {
    /// Whether a text names the type, with or without `?`.
    fileprivate func isNamed(_ text: String) -> Bool { TypeText(text).base == base }
  }
#endif
