#if Macros
  import SwiftDiagnostics
  import SwiftSyntax
  import SwiftSyntaxBuilder

  extension TypeReader {
    /// Checks the id of an entity. Returns whether there is one that stores can set.
    func hasID(_ structure: StructDeclSyntax, _ shape: EntityShape) -> Bool {
      guard let id = shape.id else { return hasComputedID(structure) }
      let usual = "write “var id = ID()”"
      if let marker = id.markers.first {
        findings.report(
          marker.attribute, "id",
          "the id is no field, so it cannot be \(marker.text): remove the attribute. "
            + "Ids are unique, and have an index")
      }
      if id.isConstant {
        let keyword = id.declaration.bindingSpecifier
        findings.report(
          keyword, "id", "the id must be a variable, which the store sets: \(usual)",
          fixes: [
            .replacing(
              keyword, with: keyword.with(\.tokenKind, .keyword(.var)), "Write “var”")
          ])
      }
      if let type = id.type, !type.isID(of: shape.name) {
        findings.report(
          id.binding, "id",
          "the id of “\(shape.name)” must be a \(shape.name).ID: \(usual). "
            + "An id of another type can be a field with @Unique",
          fixes: [.replacing(id.binding, with: Self.usualID(id.binding), "Write “id = ID()”")])
      } else if id.initializer == nil {
        findings.report(
          id.binding, "id", "the id needs a default, which makes a new id: \(usual)",
          fixes: [.replacing(id.binding, with: Self.usualID(id.binding), "Write “id = ID()”")])
      } else if id.type == nil {
        findings.report(
          id.binding, "id", "the type of the id cannot be seen here: \(usual)",
          fixes: [.replacing(id.binding, with: Self.usualID(id.binding), "Write “id = ID()”")])
      } else if !id.isConstant {
        return isSeen(id, shape)
      }
      return true
    }

    private static func usualID(_ old: PatternBindingSyntax) -> PatternBindingSyntax {
      PatternBindingSyntax(
        pattern: PatternSyntax("id "),
        initializer: InitializerClauseSyntax(
          equal: .equalToken(trailingTrivia: .space), value: ExprSyntax("ID()")),
        trailingComma: old.trailingComma, trailingTrivia: old.trailingTrivia)
    }

    private func hasComputedID(_ structure: StructDeclSyntax) -> Bool {
      let members = structure.memberBlock.members
      let isComputed = members.contains { member in
        guard let variable = member.decl.as(VariableDeclSyntax.self), !variable.isStatic else {
          return false
        }
        return variable.bindings.contains { $0.pattern.trimmedDescription == "id" && $0.isComputed }
      }
      guard !isComputed else { return true }
      let first = MemberBlockItemSyntax(
        leadingTrivia: .newline + .spaces(2), decl: DeclSyntax("var id = ID()"))
      findings.report(
        structure.name, "id", "“\(structure.name.text)” has no id: add “var id = ID()”",
        fixes: [
          .replacing(
            members, with: MemberBlockItemListSyntax([first] + Array(members)),
            "Add “var id = ID()”")
        ])
      return false
    }

    // MARK: - The ends of a relationship

    func ends(_ shape: EntityShape) -> EntityShape.Ends? {
      let arguments = attribute.labeledArguments
      func end(_ label: String) -> String? {
        guard let argument = arguments.first(where: { $0.label?.text == label }) else {
          findings.report(
            attribute, "ends",
            "@Relationship needs the entity types at both ends: "
              + "write “from: Note.self, to: Note.self”")
          return nil
        }
        guard let access = argument.expression.as(MemberAccessExprSyntax.self),
          access.declName.baseName.text == "self", let base = access.base
        else {
          findings.report(
            argument.expression, "ends",
            "“\(label):” must name an entity type: write “\(label): Note.self”")
          return nil
        }
        return base.trimmedDescription
      }
      guard let from = end("from"), let to = end("to") else { return nil }
      let weights = shape.properties.filter { $0.has(.weight) }
      if weights.count > 1 {
        findings.report(
          weights[1].marker(.weight)!.attribute, "weight",
          "a relationship has one weight: leave @Weight at “\(weights[0].name)” only, or here only")
      }
      return EntityShape.Ends(from: from, to: to, key: key(shape))
    }

    /// The fields that the ids of relationships follow from; empty if `unique:` is not written.
    private func key(_ shape: EntityShape) -> [String] {
      let arguments = attribute.labeledArguments
      guard let start = arguments.firstIndex(where: { $0.label?.text == "unique" }) else {
        return []
      }
      var key = ["source", "target"]
      for argument in arguments[start...] {
        guard let field = NamedField(argument.expression) else {
          findings.report(
            argument.expression, "unique",
            "“unique:” names properties: write “unique: \\.kind”")
          continue
        }
        if field.name == "from" || field.name == "to" { continue }
        guard let property = shape.properties.first(where: { $0.name == field.name }) else {
          findings.report(
            argument.expression, "unique",
            "“unique:” names “\(field.name)”, which is no property of “\(shape.name)”"
              + Self.known(shape))
          continue
        }
        if let marker = property.markers.first(where: { $0.name.isKept || $0.name == .transient }) {
          findings.report(
            argument.expression, "unique",
            "“unique:” names “\(field.name)”, which no relationship is written with: "
              + "name a property without \(marker.text)")
        } else if property.type?.isOptional == true {
          findings.report(
            argument.expression, "unique",
            "“unique:” names “\(field.name)”, which can be nil: ids follow from it, "
              + "so give it a type without “?”, and a default")
        } else if key.contains(field.name) {
          findings.report(
            argument.expression, "unique", "“unique:” names “\(field.name)” twice: remove one")
        } else {
          key.append(field.name)
        }
      }
      return key
    }

    /// Says which properties there are.
    static func known(_ shape: EntityShape) -> String {
      let names = shape.fields.map(\.name)
      return names.isEmpty
        ? ": it has none"
        : ": there \(names.count == 1 ? "is" : "are") "
          + list(names)
    }

    // MARK: - The initializer

    /// Whether an initializer for all properties is generated: Swift makes one that is internal.
    static func makesInitializer(_ shape: EntityShape) -> Bool {
      shape.written.initializers.isEmpty && (shape.ends != nil || shape.access > .module)
    }

    func checkInitializer(_ shape: EntityShape) {
      guard Self.makesInitializer(shape) else { return }
      for property in Self.parameters(shape)
      where property.typeText == nil && property.defaultText != nil {
        findings.report(
          property.binding, "type",
          "the type of “\(property.name)” cannot be seen here, and the initializer needs it: "
            + "write “var \(property.code): … = \(property.defaultText ?? "…")”, "
            + "or an initializer of your own")
      }
    }

    /// The properties that the generated initializer sets: those that its callers can see.
    static func parameters(_ shape: EntityShape) -> [Property] {
      let needed = max(shape.access, .module)
      return (shape.id.map { [$0] } ?? []).filter { _ in shape.ends == nil }
        + shape.properties.filter {
          $0.access >= needed && !$0.isConstant && !$0.isLazy && !$0.isDeprecated
        }
    }
  }
#endif
