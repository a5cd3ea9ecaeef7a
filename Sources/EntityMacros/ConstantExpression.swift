#if Macros
  import SwiftSyntax

  extension ExprSyntax {
    /// Whether the expression has the same value each time, as far as its text tells.
    ///
    /// It is a literal, a name such as that of a case, the initializer of a type with such
    /// arguments, or several of these with operators between them.
    var isConstant: Bool {
      switch self.as(ExprSyntaxEnum.self) {
      case .integerLiteralExpr, .floatLiteralExpr, .booleanLiteralExpr, .nilLiteralExpr: true
      case .stringLiteralExpr(let literal):
        literal.segments.allSatisfy { if case .stringSegment = $0 { true } else { false } }
      case .arrayExpr(let array): array.elements.allSatisfy(\.expression.isConstant)
      case .dictionaryExpr(let dictionary):
        if case .elements(let elements) = dictionary.content {
          elements.allSatisfy { $0.key.isConstant && $0.value.isConstant }
        } else {
          true
        }
      case .tupleExpr(let tuple): tuple.elements.allSatisfy(\.expression.isConstant)
      case .prefixOperatorExpr(let prefixed): prefixed.expression.isConstant
      case .forceUnwrapExpr(let unwrapped): unwrapped.expression.isConstant
      case .sequenceExpr(let sequence):
        sequence.elements.allSatisfy { $0.is(BinaryOperatorExprSyntax.self) || $0.isConstant }
      case .infixOperatorExpr(let infix):
        infix.leftOperand.isConstant && infix.rightOperand.isConstant
      case .declReferenceExpr: true
      case .memberAccessExpr(let member):
        member.declName.baseName.text != "now" && member.base?.isName ?? true
      case .functionCallExpr(let call): call.isConstantInitializer
      default: false
      }
    }

    /// Whether the expression is a name, or names with points between them.
    private var isName: Bool {
      if self.is(DeclReferenceExprSyntax.self) { return true }
      guard let member = self.as(MemberAccessExprSyntax.self) else { return false }
      return member.declName.baseName.text != "now" && member.base?.isName ?? true
    }
  }

  extension FunctionCallExprSyntax {
    /// Types whose values differ although nothing is given to the initializer.
    private static let changing = ["Date", "UUID", "ID", "EntityID"]

    /// Whether the call is the initializer of a type with arguments that are constant.
    fileprivate var isConstantInitializer: Bool {
      guard trailingClosure == nil, let type = calledType else { return false }
      if arguments.isEmpty { return !Self.changing.contains(type) }
      return arguments.allSatisfy { argument in
        !(argument.label?.text.hasSuffix("Now") ?? false) && argument.expression.isConstant
      }
    }

    /// The last name of the type whose initializer is called; empty for a type without a name; nil
    /// if the call is none of an initializer.
    private var calledType: String? {
      var called = calledExpression
      if called.is(ArrayExprSyntax.self) || called.is(DictionaryExprSyntax.self) { return "" }
      if let generic = called.as(GenericSpecializationExprSyntax.self) {
        called = generic.expression
      }
      if let member = called.as(MemberAccessExprSyntax.self),
        member.declName.baseName.text == "init"
      {
        guard let base = member.base else { return "" }
        called = base
      }
      let name =
        called.as(DeclReferenceExprSyntax.self)?.baseName.text
        ?? called.as(MemberAccessExprSyntax.self)?.declName.baseName.text
      return name.flatMap { $0.first?.isUppercase == true ? $0 : nil }
    }
  }
#endif
