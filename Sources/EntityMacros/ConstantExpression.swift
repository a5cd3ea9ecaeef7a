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
        sequence.elements.allSatisfy {
          $0.is(BinaryOperatorExprSyntax.self) || $0.is(UnresolvedAsExprSyntax.self)
            || $0.is(TypeExprSyntax.self) || $0.isConstant
        }
      case .infixOperatorExpr(let infix):
        infix.leftOperand.isConstant && infix.rightOperand.isConstant
      case .declReferenceExpr: true
      case .memberAccessExpr(let member): member.isConstant
      case .functionCallExpr(let call): call.isConstantInitializer
      default: false
      }
    }

    /// Whether the expression is a name, or names with points between them.
    fileprivate var isName: Bool {
      if self.is(DeclReferenceExprSyntax.self) { return true }
      return self.as(MemberAccessExprSyntax.self)?.isConstant ?? false
    }

    /// Whether the expression is `.init()` for a type whose new values differ.
    func isNew(_ type: TypeSyntax?) -> Bool {
      guard let call = self.as(FunctionCallExprSyntax.self), call.arguments.isEmpty,
        let member = call.calledExpression.as(MemberAccessExprSyntax.self), member.base == nil,
        member.declName.baseName.text == "init", let type
      else { return false }
      let name = TypeText(type).base.split(separator: ".").last.map(String.init) ?? ""
      return FunctionCallExprSyntax.changing.contains { name == $0 || name.hasPrefix($0 + "<") }
    }
  }

  extension MemberAccessExprSyntax {
    /// Types whose current value depends on the device.
    private static let ofDevice = ["Calendar", "Locale", "TimeZone"]

    /// Whether the expression is names with points between them, none of which stands for a value
    /// of the clock or of the device.
    fileprivate var isConstant: Bool {
      switch declName.baseName.text {
      case "now": false
      case "current", "autoupdatingCurrent":
        !Self.ofDevice.contains(base?.trimmedDescription ?? "") && base?.isName ?? true
      default: base?.isName ?? true
      }
    }
  }

  extension FunctionCallExprSyntax {
    /// Types whose values differ although nothing is given to the initializer.
    fileprivate static let changing = ["Date", "UUID", "ID", "EntityID"]

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
