#if Macros
  package import SwiftSyntax
  import SwiftSyntaxBuilder
  package import SwiftSyntaxMacros

  /// `@Entity` and `@Relationship`: a plugin declares a type for each.
  ///
  /// Swift expands the members and the extension apart. Only the members report what is wrong, so
  /// that it is said once.
  package protocol EntityTypeMacro: MemberMacro, ExtensionMacro {}

  extension EntityTypeMacro {
    package static func expansion(
      of node: AttributeSyntax, providingMembersOf declaration: some DeclGroupSyntax,
      conformingTo protocols: [TypeSyntax], in context: some MacroExpansionContext
    ) throws -> [DeclSyntax] {
      let reader = TypeReader(
        attribute: node, declaration: declaration, lexicalContext: context.lexicalContext)
      let shape = reader.shape()
      reader.findings.emit(to: context)
      return shape.map { Generator(shape: $0).members() } ?? []
    }

    package static func expansion(
      of node: AttributeSyntax, attachedTo declaration: some DeclGroupSyntax,
      providingExtensionsOf type: some TypeSyntaxProtocol, conformingTo protocols: [TypeSyntax],
      in context: some MacroExpansionContext
    ) throws -> [ExtensionDeclSyntax] {
      let reader = TypeReader(
        attribute: node, declaration: declaration, lexicalContext: context.lexicalContext)
      guard reader.shape() != nil, !protocols.isEmpty else { return [] }
      return [
        try ExtensionDeclSyntax(
          "nonisolated extension \(type.trimmed): Daybook.\(raw: reader.macro) {}")
      ]
    }
  }
#endif
