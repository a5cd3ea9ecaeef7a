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
      // What the type is available for, its conformance is, too.
      let available = declaration.attributes.available.map { $0.trimmedDescription + "\n" }.joined()
      // Each by itself: a file that is compiled before the expansion knows what the attribute says,
      // and not what a protocol inherits.
      let missing = Set(
        protocols.map { $0.trimmedDescription.split(separator: ".").last.map(String.init) ?? "" })
      let names = ["Entity", "Relationship"].filter(missing.contains).map { "Daybook." + $0 }
        .joined(separator: ", ")
      return [
        try ExtensionDeclSyntax(
          "\(raw: available)nonisolated extension \(type.trimmed): \(raw: names) {}")
      ]
    }
  }
#endif
