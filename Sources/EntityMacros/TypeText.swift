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
      let generic = Self.generics.first { text.hasPrefix($0) && text.hasSuffix(">") }
      if let generic {
        self.init(String(text.dropFirst(generic.count).dropLast()), isOptional: true)
      } else if text.hasSuffix("?"), !text.contains("->") {
        self.init(String(text.dropLast()), isOptional: true)
      } else {
        self.init(text, isOptional: false)
      }
    }

    private static let generics = ["Optional<", "Swift.Optional<"]

    /// Whether a type is an optional in its long form. Swift gives such a property no default.
    static func isLongOptional(_ type: TypeSyntax) -> Bool {
      generics.contains(where: type.trimmedDescription.hasPrefix)
    }

    private init(_ base: String, isOptional: Bool) {
      self.base = base
      self.isOptional = isOptional
    }

    enum Kind {
      case text, integer, real, boolean, date, data, id, place
      /// A type that is none of these.
      case other
      /// A name that may stand for any type, such as that of a `typealias`.
      case unknown
    }

    private static let kinds: [String: Kind] = [
      "String": .text, "Bool": .boolean, "Double": .real, "Float": .real, "Date": .date,
      "Data": .data, "Int": .integer, "Int8": .integer, "Int16": .integer, "Int32": .integer,
      "Int64": .integer, "UInt8": .integer, "UInt16": .integer, "UInt32": .integer,
      "FractionalIndex": .place, "UUID": .other, "URL": .other, "UInt": .other, "UInt64": .other,
      "Decimal": .other, "Duration": .other,
    ]

    var kind: Kind {
      let name =
        ["Swift.", "Foundation.", "Daybook."].first(where: base.hasPrefix)
        .map { String(base.dropFirst($0.count)) } ?? base
      if let kind = Self.kinds[name] { return kind }
      return target != nil ? .id : isName ? .unknown : .other
    }

    /// Whether the type is a name, or names with points between them.
    private var isName: Bool {
      base.allSatisfy { $0.isLetter || $0.isNumber || "_.`".contains($0) }
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
      case .place: "FractionalIndex.first"
      case .id, .unknown: nil
      case .other:
        if base.hasPrefix("["), base.hasSuffix("]") {
          base.contains(":") ? "[:]" : "[]"
        } else if base.hasPrefix("Dictionary<") {
          "[:]"
        } else {
          base.hasPrefix("Set<") || base.hasPrefix("Array<") ? "[]" : nil
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
        return ["-", "+", "!", "~"].contains(prefix.operator.text)
          ? inferred(prefix.expression) : nil
      case .tupleExpr(let tuple):
        return tuple.elements.count == 1 ? inferred(tuple.elements.first!.expression) : nil
      case .tryExpr(let attempt):
        return attempt.questionOrExclamationMark?.text == "?" ? nil : inferred(attempt.expression)
      case .forceUnwrapExpr(let unwrapped):
        return inferred(unwrapped.expression).map { TypeText($0).base }
      case .arrayExpr(let array):
        return common(array.elements.map(\.expression)).map { "[\($0)]" }
      case .dictionaryExpr(let dictionary):
        guard case .elements(let elements) = dictionary.content,
          let key = common(elements.map(\.key)), let value = common(elements.map(\.value))
        else { return nil }
        return "[\(key): \(value)]"
      case .functionCallExpr(let call):
        if let collection = collection(call) { return collection }
        guard let type = type(call.calledExpression) else {
          return inferred(call.calledExpression)
        }
        return isFailable(type, call) ? type + "?" : type
      case .memberAccessExpr(let access):
        return access.declName.baseName.text == "self" ? nil : access.base.flatMap(type)
      case .sequenceExpr(let sequence): return inferred(sequence)
      default: return nil
      }
    }

    /// Returns the type of a cast, or of numbers or texts with operators between them.
    private static func inferred(_ sequence: SequenceExprSyntax) -> String? {
      let parts = Array(sequence.elements)
      if parts.count == 3, let cast = parts[1].as(UnresolvedAsExprSyntax.self) {
        return cast.questionOrExclamationMark?.text == "?" ? nil : parts[2].trimmedDescription
      }
      var types: Set<String> = []
      for (index, part) in parts.enumerated() {
        if index.isMultiple(of: 2) {
          guard let type = inferred(part) else { return nil }
          types.insert(type)
        } else {
          let operation = part.as(BinaryOperatorExprSyntax.self)?.operator.text ?? ""
          guard ["+", "-", "*", "/", "%"].contains(operation) else { return nil }
        }
      }
      // An integer literal beside a number with a point is one, too.
      if types == ["Int", "Double"] {
        let areLiterals = parts.allSatisfy {
          !($0.is(MemberAccessExprSyntax.self) || $0.is(FunctionCallExprSyntax.self))
        }
        return areLiterals ? "Double" : nil
      }
      return types.count == 1 ? types.first : nil
    }

    /// Types that say nothing without the types of what they hold.
    private static let containers = ["Array", "Dictionary", "Optional", "Range", "Set"]

    /// Returns the type of a set that is made of a list, as in `Set(["a"])`.
    private static func collection(_ call: FunctionCallExprSyntax) -> String? {
      guard call.calledExpression.trimmedDescription == "Set", call.arguments.count == 1,
        let list = call.arguments.first, list.label == nil,
        let array = list.expression.as(ArrayExprSyntax.self)
      else { return nil }
      return common(array.elements.map(\.expression)).map { "Set<\($0)>" }
    }

    /// Initializers of values that may return nil.
    private static let failable: Set = [
      "URL(string:", "UUID(uuidString:", "Data(base64Encoded:", "Decimal(string:",
    ]

    /// Whether the initializer of a type may return nil, as far as its text tells.
    private static func isFailable(_ type: String, _ call: FunctionCallExprSyntax) -> Bool {
      guard let argument = call.arguments.first else { return false }
      let name = type.split(separator: ".").last.map(String.init) ?? type
      if let label = argument.label?.text { return failable.contains("\(name)(\(label):") }
      return kinds[name] == .integer && argument.expression.is(StringLiteralExprSyntax.self)
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
          name.baseName.text.first?.isUppercase == true
            && !(containers + ["Self"]).contains(name.baseName.text)
        case .memberAccessExpr(let access):
          access.declName.baseName.text.first?.isUppercase == true
            && access.base.map {
              type($0) != nil || $0.trimmedDescription == "Self"
            } == true
        case .genericSpecializationExpr(let generic):
          containers.contains(generic.expression.trimmedDescription)
            || type(generic.expression) != nil
        case .optionalChainingExpr(let optional): type(optional.expression) != nil
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
