#if Macros
  import SwiftSyntax

  /// The type of a property, as far as its text tells.
  ///
  /// A macro sees text only. It does not know what a name stands for.
  struct TypeText {
    /// The type without `?`.
    let base: String
    let isOptional: Bool

    init(_ type: TypeSyntax) {
      if let optional = type.as(OptionalTypeSyntax.self) {
        self.init(optional.wrappedType.trimmedDescription, isOptional: true)
      } else if let optional = type.as(ImplicitlyUnwrappedOptionalTypeSyntax.self) {
        self.init(optional.wrappedType.trimmedDescription, isOptional: true)
      } else {
        self.init(type.trimmedDescription)
      }
    }

    init(_ text: String) {
      if text.hasPrefix("Optional<"), text.hasSuffix(">") {
        self.init(String(text.dropFirst(9).dropLast()), isOptional: true)
      } else {
        self.init(text, isOptional: false)
      }
    }

    private init(_ base: String, isOptional: Bool) {
      self.base = base
      self.isOptional = isOptional
    }

    enum Kind {
      case text, integer, real, boolean, date, data, id, other
    }

    private static let kinds: [String: Kind] = [
      "String": .text, "Bool": .boolean, "Double": .real, "Float": .real, "Date": .date,
      "Data": .data, "Int": .integer, "Int8": .integer, "Int16": .integer, "Int32": .integer,
      "Int64": .integer, "UInt8": .integer, "UInt16": .integer, "UInt32": .integer,
    ]

    var kind: Kind {
      let name =
        ["Swift.", "Foundation."].first(where: base.hasPrefix)
        .map { String(base.dropFirst($0.count)) } ?? base
      return Self.kinds[name] ?? (target == nil ? .other : .id)
    }

    /// The type whose entities an id is of: `Folder` for `Folder.ID` and for `EntityID<Folder>`.
    var target: String? {
      if base == "ID" { return "Self" }
      if base.hasSuffix(".ID") { return String(base.dropLast(3)) }
      for prefix in ["EntityID<", "Daybook.EntityID<"]
      where base.hasPrefix(prefix) && base.hasSuffix(">") {
        return String(base.dropFirst(prefix.count).dropLast())
      }
      return nil
    }

    /// Whether the type is the id of entities of a type.
    func isID(of name: String) -> Bool {
      guard let target, !isOptional else { return false }
      return target == "Self" || target == name || target.hasSuffix("." + name)
    }

    /// A default that suits the type; nil if none comes to mind.
    var usualDefault: String? {
      switch kind {
      case .text: "\"\""
      case .integer: "0"
      case .real: "0.0"
      case .boolean: "false"
      case .date: "Date.distantPast"
      case .data: "Data()"
      case .id: nil
      case .other:
        if base.hasPrefix("["), base.hasSuffix("]") {
          base.contains(":") ? "[:]" : "[]"
        } else {
          base.hasPrefix("Set<") ? "[]" : nil
        }
      }
    }
  }

  // MARK: - What a default tells

  extension TypeText {
    /// The type of a default, as far as its text tells: `Kind` for `Kind.related`.
    init?(of expression: ExprSyntax) {
      guard let text = Self.inferred(expression) else { return nil }
      self.init(text)
    }

    private static func inferred(_ expression: ExprSyntax) -> String? {
      switch expression.as(ExprSyntaxEnum.self) {
      case .stringLiteralExpr: return "String"
      case .integerLiteralExpr: return "Int"
      case .floatLiteralExpr: return "Double"
      case .booleanLiteralExpr: return "Bool"
      case .prefixOperatorExpr(let prefix):
        return ["-", "+"].contains(prefix.operator.text) ? inferred(prefix.expression) : nil
      case .arrayExpr(let array):
        return common(array.elements.map(\.expression)).map { "[\($0)]" }
      case .dictionaryExpr(let dictionary):
        guard case .elements(let elements) = dictionary.content,
          let key = common(elements.map(\.key)), let value = common(elements.map(\.value))
        else { return nil }
        return "[\(key): \(value)]"
      case .functionCallExpr(let call):
        return type(call.calledExpression) ?? inferred(call.calledExpression)
      case .memberAccessExpr(let access):
        return access.declName.baseName.text == "self" ? nil : access.base.flatMap(type)
      case .sequenceExpr(let sequence):
        let parts = Array(sequence.elements)
        guard parts.count == 3, let cast = parts[1].as(UnresolvedAsExprSyntax.self),
          cast.questionOrExclamationMark?.text != "?"
        else { return nil }
        return parts[2].trimmedDescription
      default: return nil
      }
    }

    /// Returns the type that all of these have; nil if there are none or it is not known.
    private static func common(_ expressions: [ExprSyntax]) -> String? {
      let types = Set(expressions.map(inferred))
      return types.count == 1 ? types.first.flatMap { $0 } : nil
    }

    /// Returns the text of an expression that names a type.
    private static func type(_ expression: ExprSyntax) -> String? {
      let names: Bool =
        switch expression.as(ExprSyntaxEnum.self) {
        case .declReferenceExpr(let name):
          name.baseName.text.first?.isUppercase == true && name.baseName.text != "Self"
        case .memberAccessExpr(let access):
          access.declName.baseName.text.first?.isUppercase == true
            && access.base.map {
              type($0) != nil || $0.trimmedDescription == "Self"
            } == true
        case .genericSpecializationExpr(let generic): type(generic.expression) != nil
        case .arrayExpr(let array):
          array.elements.count == 1 && type(array.elements.first!.expression) != nil
        case .dictionaryExpr(let dictionary):
          if case .elements(let elements) = dictionary.content, let pair = elements.first {
            elements.count == 1 && type(pair.key) != nil && type(pair.value) != nil
          } else {
            false
          }
        case .typeExpr: true
        default: false
        }
      return names ? expression.trimmedDescription : nil
    }
  }
#endif
