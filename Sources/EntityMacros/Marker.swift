#if Macros
  import SwiftSyntax

  /// An attribute of this module: its name, and what it says.
  struct Marker {
    enum Name: String, CaseIterable {
      case search = "Search"
      case index = "Index"
      case unique = "Unique"
      case merging = "Merging"
      case reference = "Reference"
      case tree = "Tree"
      case created = "Created"
      case modified = "Modified"
      case version = "Version"
      case weight = "Weight"
      case field = "Field"
      case transient = "Transient"
      case local = "Local"

      /// Whether the store keeps such a property.
      var isKept: Bool { self == .created || self == .modified || self == .version }
    }

    let name: Name
    let attribute: AttributeSyntax

    var text: String { "@" + name.rawValue }

    init?(_ attribute: AttributeSyntax) {
      guard let name = Name(rawValue: attribute.shortName) else { return nil }
      self.name = name
      self.attribute = attribute
    }

    static func all(_ attributes: AttributeListSyntax) -> [Marker] {
      attributes.compactMap { $0.as(AttributeSyntax.self).flatMap(Marker.init) }
    }

    var arguments: [LabeledExprSyntax] { attribute.labeledArguments }

    /// The names in `@Field(formerly: "a", "b")`, the first one first.
    var earlierNames: [ExprSyntax] {
      arguments.drop { $0.label?.text != "formerly" }.map(\.expression)
    }

    /// The arguments that name properties.
    var namedProperties: [LabeledExprSyntax] {
      arguments.filter { $0.label == nil && !$0.expression.is(MemberAccessExprSyntax.self) }
    }

    /// How values are compared, as in `@Unique(.folded)`; nil if the attribute does not say it.
    var comparison: ExprSyntax? {
      guard name == .unique, let first = arguments.first, first.label == nil,
        first.expression.is(MemberAccessExprSyntax.self)
      else { return nil }
      return first.expression
    }

    /// Whether texts are compared without case.
    var isFolded: Bool {
      comparison?.as(MemberAccessExprSyntax.self)?.declName.baseName.text == "folded"
    }

    /// The argument with a label.
    func argument(_ label: String) -> ExprSyntax? {
      arguments.first { $0.label?.text == label }?.expression
    }
  }

  extension AttributeSyntax {
    /// The attribute's name, without the name of this module.
    var shortName: String {
      if let member = attributeName.as(MemberTypeSyntax.self),
        member.baseType.trimmedDescription == "DaybookMacros"
      {
        return member.name.text
      }
      return attributeName.trimmedDescription
    }

    var labeledArguments: [LabeledExprSyntax] {
      if case .argumentList(let list)? = arguments { Array(list) } else { [] }
    }
  }

  extension AttributeListSyntax {
    /// Returns the attribute of a name.
    func attribute(_ name: String) -> AttributeSyntax? {
      lazy.compactMap { $0.as(AttributeSyntax.self) }.first { $0.shortName == name }
    }

    /// The name of the macro that makes the type an entity's type.
    var entityMacro: String? {
      ["Entity", "Relationship"].first { attribute($0) != nil }
    }
  }

  /// A field that a key path names, as in `\.title` and `\.modified.descending`.
  struct NamedField {
    let name: String
    let isDescending: Bool
    let node: ExprSyntax

    private init(name: String, isDescending: Bool, node: ExprSyntax) {
      (self.name, self.isDescending, self.node) = (name, isDescending, node)
    }

    /// Returns the same field under the name that the store has for it.
    func named(_ name: String) -> NamedField {
      NamedField(name: name, isDescending: isDescending, node: node)
    }

    init?(_ expression: ExprSyntax) {
      guard let path = expression.as(KeyPathExprSyntax.self) else { return nil }
      let parts = path.components.compactMap { component -> String? in
        if case .property(let property) = component.component {
          property.declName.baseName.text.withoutBackticks
        } else {
          nil
        }
      }
      guard let first = parts.first, parts.count == path.components.count else { return nil }
      name = first
      isDescending = parts.dropFirst().first == "descending"
      node = expression
    }
  }

  extension String {
    var withoutBackticks: String {
      count > 2 && hasPrefix("`") && hasSuffix("`") ? String(dropFirst().dropLast()) : self
    }
  }

  extension ExprSyntax {
    /// The text of a string literal without interpolation.
    var literalText: String? {
      guard let literal = self.as(StringLiteralExprSyntax.self), literal.segments.count == 1,
        case .stringSegment(let segment)? = literal.segments.first
      else { return nil }
      return segment.content.text
    }
  }
#endif
