#if Macros
  import SwiftSyntax

  /// A property that each value of a type holds.
  struct Property {
    /// The name without backticks, which is also the field's.
    let name: String
    /// The name as it is written in code.
    let code: String
    let node: TokenSyntax
    let declaration: VariableDeclSyntax
    let binding: PatternBindingSyntax
    let annotation: TypeSyntax?
    let markers: [Marker]
    let isConstant: Bool
    let isLazy: Bool
    let isObserved: Bool

    var initializer: ExprSyntax? { binding.initializer?.value }

    /// Whether each new value may begin with another default.
    var isComputed: Bool {
      initializer.map { !$0.isConstant || $0.isNew(annotation) } ?? false
    }

    /// The type, as far as the text tells.
    var type: TypeText? { annotation.map(TypeText.init) ?? initializer.flatMap(TypeText.init(of:)) }

    var access: Access { Access(declaration.modifiers) }

    /// Whether code that uses the property gets a warning.
    var isDeprecated: Bool {
      declaration.attributes.available.contains { $0.trimmedDescription.contains("deprecated") }
    }

    /// The type that a reference refers to, as code names it; nil if the type is no id.
    ///
    /// A name that is not known may be that of an id, which knows its target.
    var target: String? {
      if let target = type?.target { return target }
      guard let annotation else { return nil }
      let text = TypeText(annotation)
      return text.kind == .unknown ? text.base + ".Target" : nil
    }

    var isTransient: Bool { has(.transient) }
    var isKept: Bool { markers.contains { $0.name.isKept } }

    func has(_ name: Marker.Name) -> Bool { marker(name) != nil }
    func marker(_ name: Marker.Name) -> Marker? { markers.first { $0.name == name } }

    /// The default as an expression; nil if there is none.
    var defaultText: String? {
      initializer?.trimmedDescription ?? (type?.isOptional == true ? "nil" : nil)
    }

    /// The type as a parameter has it; nil if the text does not tell.
    var typeText: String? {
      if let annotation {
        return annotation.is(ImplicitlyUnwrappedOptionalTypeSyntax.self)
          ? TypeText(annotation).base + "?" : annotation.trimmedDescription
      }
      return type.map { $0.base + ($0.isOptional ? "?" : "") }
    }
  }

  extension Property {
    /// Returns the stored properties of a declaration; none for a computed or static one.
    /// - Parameter findings: where patterns that are not names are reported.
    static func all(_ declaration: VariableDeclSyntax, _ findings: Findings) -> [Property] {
      guard !declaration.isStatic else { return [] }
      var properties: [Property] = []
      // In `var a, b: Int`, the type of `b` is also that of `a`.
      var annotation: TypeSyntax?
      for binding in declaration.bindings.reversed() {
        annotation = binding.typeAnnotation?.type ?? (binding.initializer == nil ? annotation : nil)
        guard !binding.isComputed else { continue }
        guard let pattern = binding.pattern.as(IdentifierPatternSyntax.self) else {
          findings.report(
            binding.pattern, "pattern",
            "“\(binding.pattern.trimmedDescription)” declares several properties at once: "
              + "declare each property for itself")
          continue
        }
        properties.append(
          Property(
            name: pattern.identifier.text.withoutBackticks, code: pattern.identifier.text,
            node: pattern.identifier, declaration: declaration, binding: binding,
            annotation: annotation, markers: Marker.all(declaration.attributes),
            isConstant: declaration.bindingSpecifier.tokenKind == .keyword(.let),
            isLazy: declaration.modifiers.contains { $0.name.tokenKind == .keyword(.lazy) },
            isObserved: binding.accessorBlock != nil))
      }
      return properties.reversed()
    }
  }

  extension AttributeListSyntax {
    /// The attributes `@available`.
    var available: [AttributeSyntax] {
      compactMap { $0.as(AttributeSyntax.self) }.filter {
        $0.attributeName.trimmedDescription == "available"
      }
    }
  }

  extension VariableDeclSyntax {
    var isStatic: Bool {
      modifiers.contains {
        $0.name.tokenKind == .keyword(.static) || $0.name.tokenKind == .keyword(.class)
      }
    }

    var isComputed: Bool { bindings.contains(where: \.isComputed) }
  }

  extension PatternBindingSyntax {
    /// Whether the property has a getter of its own; one with `didSet` has none.
    var isComputed: Bool {
      switch accessorBlock?.accessors {
      case nil: false
      case .getter: true
      case .accessors(let accessors):
        !accessors.allSatisfy { ["willSet", "didSet"].contains($0.accessorSpecifier.text) }
      }
    }
  }
#endif
