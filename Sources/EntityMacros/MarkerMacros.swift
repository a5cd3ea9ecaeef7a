#if Macros
  package import SwiftSyntax
  package import SwiftSyntaxMacros

  /// The attributes of properties. They generate nothing: the macro of the type reads them.
  package protocol PropertyMarkerMacro: PeerMacro {}

  extension PropertyMarkerMacro {
    package static func expansion(
      of node: AttributeSyntax, providingPeersOf declaration: some DeclSyntaxProtocol,
      in context: some MacroExpansionContext
    ) throws -> [DeclSyntax] {
      let findings = Findings()
      MarkerPlace(node: node, context: context.lexicalContext, findings).checkProperty(declaration)
      findings.emit(to: context)
      return []
    }
  }

  /// The attributes of a whole type.
  package protocol TypeMarkerMacro: PeerMacro {}

  extension TypeMarkerMacro {
    package static func expansion(
      of node: AttributeSyntax, providingPeersOf declaration: some DeclSyntaxProtocol,
      in context: some MacroExpansionContext
    ) throws -> [DeclSyntax] {
      let findings = Findings()
      MarkerPlace(node: node, context: context.lexicalContext, findings).checkType(declaration)
      findings.emit(to: context)
      return []
    }
  }

  /// Where an attribute is written.
  private struct MarkerPlace {
    let text: String
    let node: AttributeSyntax
    let context: [Syntax]
    let findings: Findings

    init(node: AttributeSyntax, context: [Syntax], _ findings: Findings) {
      text = "@" + node.shortName
      self.node = node
      self.context = context
      self.findings = findings
    }

    private var isSet: Bool { ["Unique", "Index"].contains(node.shortName) }

    func checkProperty(_ declaration: some DeclSyntaxProtocol) {
      guard let variable = declaration.as(VariableDeclSyntax.self) else {
        let instead =
          isSet && declaration.is(StructDeclSyntax.self)
          ? ": name the properties, as “\(text)(\\.a, \\.b)”"
          : ": write it before “var”"
        findings.report(node, "place", "\(text) belongs at a property\(instead)")
        return
      }
      let scope = context.first?.asProtocol((any DeclGroupSyntax).self)
      guard scope?.attributes.entityMacro != nil else {
        findings.report(
          node, "place",
          "\(text) has a meaning only in a structure with @Entity or @Relationship: remove it here")
        return
      }
      let name = variable.bindings.first?.pattern.trimmedDescription ?? ""
      if variable.isStatic {
        findings.report(
          node, "place",
          "“\(name)” is static, so no entity holds it: remove \(text), or remove “static”")
      } else if variable.isComputed {
        findings.report(
          node, "place",
          "“\(name)” is computed, so it is not stored: "
            + "remove \(text), or give it a default instead of a getter")
      }
    }

    func checkType(_ declaration: some DeclSyntaxProtocol) {
      if isSet, declaration.is(VariableDeclSyntax.self) {
        findings.report(
          node, "place",
          "\(text) at a property names no others: write “\(text)” here, "
            + "or “\(text)(\\.a, \\.b)” at the structure")
        return
      }
      let attributes = declaration.asProtocol((any DeclGroupSyntax).self)?.attributes
      if attributes?.entityMacro == nil {
        findings.report(
          node, "place",
          "\(text) belongs at a structure with @Entity or @Relationship")
      }
    }
  }
#endif
