#if Macros
  import SwiftSyntax
  import SwiftSyntaxBuilder
  import SwiftSyntaxMacros

  /// `@Entity`.
  struct EntityMacro: MemberMacro, ExtensionMacro {
    static func expansion(
      of node: AttributeSyntax, providingMembersOf declaration: some DeclGroupSyntax,
      conformingTo protocols: [TypeSyntax], in context: some MacroExpansionContext
    ) throws -> [DeclSyntax] { Expansion.members(node, declaration, context) }

    static func expansion(
      of node: AttributeSyntax, attachedTo declaration: some DeclGroupSyntax,
      providingExtensionsOf type: some TypeSyntaxProtocol, conformingTo protocols: [TypeSyntax],
      in context: some MacroExpansionContext
    ) throws -> [ExtensionDeclSyntax] {
      try Expansion.conformance(node, declaration, type, protocols, context)
    }
  }

  /// `@Relationship`.
  struct RelationshipMacro: MemberMacro, ExtensionMacro {
    static func expansion(
      of node: AttributeSyntax, providingMembersOf declaration: some DeclGroupSyntax,
      conformingTo protocols: [TypeSyntax], in context: some MacroExpansionContext
    ) throws -> [DeclSyntax] { Expansion.members(node, declaration, context) }

    static func expansion(
      of node: AttributeSyntax, attachedTo declaration: some DeclGroupSyntax,
      providingExtensionsOf type: some TypeSyntaxProtocol, conformingTo protocols: [TypeSyntax],
      in context: some MacroExpansionContext
    ) throws -> [ExtensionDeclSyntax] {
      try Expansion.conformance(node, declaration, type, protocols, context)
    }
  }

  /// What both macros do. Swift expands the members and the extension apart; only the members report
  /// what is wrong, so that it is said once.
  private enum Expansion {
    static func members(
      _ node: AttributeSyntax, _ declaration: some DeclGroupSyntax,
      _ context: some MacroExpansionContext
    ) -> [DeclSyntax] {
      let reader = TypeReader(
        attribute: node, declaration: declaration, lexicalContext: context.lexicalContext)
      let shape = reader.shape()
      reader.findings.emit(to: context)
      return shape.map { Generator(shape: $0).members() } ?? []
    }

    static func conformance(
      _ node: AttributeSyntax, _ declaration: some DeclGroupSyntax, _ type: some TypeSyntaxProtocol,
      _ protocols: [TypeSyntax], _ context: some MacroExpansionContext
    ) throws -> [ExtensionDeclSyntax] {
      let reader = TypeReader(
        attribute: node, declaration: declaration, lexicalContext: context.lexicalContext)
      guard reader.shape() != nil, !protocols.isEmpty else { return [] }
      return [
        try ExtensionDeclSyntax("extension \(type.trimmed): Daybook.\(raw: reader.macro) {}")
      ]
    }
  }
#endif
