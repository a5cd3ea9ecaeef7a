#if Macros
  import SwiftDiagnostics
  import SwiftSyntax
  import SwiftSyntaxBuilder
  import SwiftSyntaxMacros

  /// Reads the declaration of an entity's type, and finds what is wrong with it.
  struct TypeReader {
    let attribute: AttributeSyntax
    let declaration: any DeclGroupSyntax
    let lexicalContext: [Syntax]
    let findings = Findings()

    /// `Entity` or `Relationship`.
    var macro: String { attribute.shortName }
    var isRelationship: Bool { macro == "Relationship" }

    /// Returns what the macro generates from; nil if the declaration can be no entity's type.
    func shape() -> EntityShape? {
      guard let structure = structure(), isAlone(structure), isPlain(structure) else { return nil }
      let collection = collection(structure)
      let access = access(structure)
      var shape = EntityShape(
        name: structure.name.text, access: access, collection: collection ?? "",
        written: .init(structure.memberBlock.members))
      readMembers(structure, &shape)
      checkNames(shape)
      for property in shape.properties {
        PropertyReader(property: property, shape: shape, isRelationship: isRelationship, findings)
          .check()
      }
      if isRelationship {
        shape.ends = ends(shape)
      } else if !hasID(structure, shape) {
        return nil
      }
      shape.rules = RuleReader(shape: shape, structure: structure, findings: findings).rules()
      checkInitializer(shape)
      guard checkWritten(shape) else { return nil }
      return collection == nil || (isRelationship && shape.ends == nil) ? nil : shape
    }

    // MARK: - The declaration

    private func structure() -> StructDeclSyntax? {
      if let structure = declaration.as(StructDeclSyntax.self) { return structure }
      guard let named = declaration.asProtocol((any NamedDeclSyntax).self) else {
        findings.report(attribute, "structure", "@\(macro) belongs on a structure")
        return nil
      }
      let keyword = declaration.introducer
      let name = named.name.text
      // A structure cannot be `final`, which the fix does not take away.
      let canFix = keyword.tokenKind == .keyword(.class) && declaration.modifiers.isEmpty
      let fixes: [FixIt] =
        canFix
        ? [
          .replacing(
            keyword, with: keyword.with(\.tokenKind, .keyword(.struct)), "Write “struct”")
        ] : []
      findings.report(
        keyword, "structure",
        "@\(macro) needs a structure, whose values are copies: "
          + "write “struct \(name)” instead of “\(keyword.text) \(name)”", fixes: fixes)
      return nil
    }

    /// Whether the type has one of the two macros only. The mistake is reported once, by `@Entity`.
    private func isAlone(_ structure: StructDeclSyntax) -> Bool {
      guard structure.attributes.attribute("Entity") != nil,
        structure.attributes.attribute("Relationship") != nil
      else { return true }
      if !isRelationship {
        findings.report(
          attribute, "both",
          "“\(structure.name.text)” has both @Entity and @Relationship: "
            + "a relationship is an entity already, so leave @Entity out")
      }
      return false
    }

    private func isPlain(_ structure: StructDeclSyntax) -> Bool {
      let name = structure.name.text
      if let clause = structure.genericParameterClause {
        findings.report(
          clause, "generic",
          "“\(name)” cannot be generic: a collection holds entities of one type. "
            + "Declare a structure for each type")
        return false
      }
      if let actor = structure.attributes.attribute("MainActor") {
        findings.report(
          actor, "actor",
          "“\(name)” cannot be @MainActor, because stores read entities on other threads: "
            + "remove it here. Functions and computed properties can have it")
        return false
      }
      if !lexicalContext.isEmpty,
        let word = structure.modifiers.first(where: { $0.name.tokenKind == .keyword(.private) })
      {
        findings.report(
          word, "private",
          "“\(name)” cannot be private in another type, because Swift adds its conformance "
            + "outside: write “fileprivate”",
          fixes: [
            .replacing(
              word, with: word.with(\.name.tokenKind, .keyword(.fileprivate)),
              "Write “fileprivate”")
          ])
        return false
      }
      for scope in lexicalContext {
        if let group = scope.asProtocol((any WithGenericParametersSyntax).self),
          group.genericParameterClause != nil
        {
          findings.report(
            structure.name, "generic",
            "“\(name)” cannot be declared in a generic type or function: "
              + "move it out, to the top of the file")
          return false
        }
        if scope.is(FunctionDeclSyntax.self) || scope.is(ClosureExprSyntax.self)
          || scope.is(InitializerDeclSyntax.self) || scope.is(AccessorDeclSyntax.self)
        {
          findings.report(
            structure.name, "local",
            "“\(name)” cannot be declared in a function: Swift adds no conformance to such a type. "
              + "Move it out of the function")
          return false
        }
      }
      return true
    }

    /// The type's access. A type in an extension has that of the extension, if it says none.
    private func access(_ structure: StructDeclSyntax) -> Access {
      let own = Access(structure.modifiers)
      guard own == .module, let scope = lexicalContext.first?.as(ExtensionDeclSyntax.self),
        !structure.modifiers.contains(where: { $0.name.tokenKind == .keyword(.internal) })
      else { return own }
      return Access(scope.modifiers)
    }

    // MARK: - The collection's name

    private func collection(_ structure: StructDeclSyntax) -> String? {
      let name = structure.name.text
      let suggestion = name.prefix(1).lowercased() + name.dropFirst() + "s"
      guard let argument = attribute.labeledArguments.first, argument.label == nil else {
        findings.report(
          attribute, "collection",
          "@\(macro) needs the name of a collection: write “@\(macro)(\"\(suggestion)\")”")
        return nil
      }
      guard let text = argument.expression.literalText else {
        findings.report(
          argument.expression, "collection",
          "the name of the collection must be a plain text in quotes, because stores keep it: "
            + "write “\"\(suggestion)\"”")
        return nil
      }
      guard StoreName.isValid(text) else {
        findings.report(
          argument.expression, "collection",
          "“\(text)” cannot name a collection: a name is \(StoreName.rule)",
          fixes: StoreName.isValid(suggestion)
            ? [
              .replacing(
                argument.expression, with: ExprSyntax("\(literal: suggestion)"),
                "Name it “\(suggestion)”")
            ] : [])
        return nil
      }
      return text
    }

    // MARK: - Members

    private func readMembers(_ structure: StructDeclSyntax, _ shape: inout EntityShape) {
      for member in structure.memberBlock.members {
        if let condition = member.decl.as(IfConfigDeclSyntax.self) {
          checkCondition(condition)
        } else if let variable = member.decl.as(VariableDeclSyntax.self) {
          checkGenerated(variable)
          for property in Property.all(variable, findings) {
            if property.name == "id" {
              shape.id = property
            } else {
              shape.properties.append(property)
            }
          }
        }
      }
    }

    /// A field must be the same in each build, because devices exchange what is in it.
    private func checkCondition(_ condition: IfConfigDeclSyntax) {
      for clause in condition.clauses {
        for member in clause.members {
          guard let variable = member.decl.as(VariableDeclSyntax.self), !variable.isStatic,
            !variable.isComputed,
            !Marker.all(variable.attributes).contains(where: { $0.name == .transient })
          else { continue }
          findings.report(
            variable, "condition",
            "a stored property cannot be in “#if”, because all devices share the fields: "
              + "move it out, write @Transient, or put a computed property there")
        }
      }
    }

    /// Reports members that the macro makes itself.
    private func checkGenerated(_ variable: VariableDeclSyntax) {
      for binding in variable.bindings {
        guard let name = binding.pattern.as(IdentifierPatternSyntax.self)?.identifier else {
          continue
        }
        if variable.isStatic, name.text == "collection" || name.text == "fields" {
          findings.report(
            name, "generated", "@\(macro) makes “static \(name.text)” itself: remove this one")
        }
        guard isRelationship, !variable.isStatic else { continue }
        switch name.text {
        case "id", "from", "to":
          findings.report(
            name, "generated", "@Relationship makes “\(name.text)” itself: remove this property")
        case "source", "target":
          findings.report(
            name, "generated",
            "“\(name.text)” is the field of “\(name.text == "source" ? "from" : "to")” in each "
              + "relationship: give this property another name")
        default: break
        }
      }
    }

    private func checkNames(_ shape: EntityShape) {
      var seen: [String: String] = [:]
      for property in shape.fields {
        guard StoreName.isValid(property.name) else {
          findings.report(
            property.node, "name",
            "“\(property.name)” cannot name a field: a name is \(StoreName.rule). "
              + "Rename the property, or write @Transient if it need not be stored")
          continue
        }
        let folded = StoreName.folded(property.name)
        if folded == "id" {
          findings.report(
            property.node, "name",
            "SQLite takes “\(property.name)” for “id”, because it ignores case: "
              + "give the property another name")
        } else if let other = seen.updateValue(property.name, forKey: folded) {
          findings.report(
            property.node, "name",
            "SQLite takes “\(property.name)” for “\(other)”, because it ignores case: "
              + "give one of the properties another name")
        }
      }
    }
  }
#endif
