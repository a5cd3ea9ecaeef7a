#if Macros
  import SwiftDiagnostics
  import SwiftParser
  import SwiftSyntax
  import SwiftSyntaxBuilder
  import SwiftSyntaxMacroExpansion
  import SwiftSyntaxMacros
  import SwiftSyntaxMacrosGenericTestSupport
  import Testing

  @testable import DaybookEntityMacros

  private struct TypeMacro: EntityTypeMacro {}
  private struct PropertyMarker: PropertyMarkerMacro {}
  private struct TypeMarker: TypeMarkerMacro {}

  /// `@Unique` and `@Index`: the compiler chooses by the arguments.
  private struct EitherMarker: PeerMacro {
    static func expansion(
      of node: AttributeSyntax, providingPeersOf declaration: some DeclSyntaxProtocol,
      in context: some MacroExpansionContext
    ) throws -> [DeclSyntax] {
      let marker: any PeerMacro.Type =
        node.labeledArguments.contains { $0.expression.is(KeyPathExprSyntax.self) }
        ? TypeMarker.self : PropertyMarker.self
      return try marker.expansion(of: node, providingPeersOf: declaration, in: context)
    }
  }

  /// Expands macros in texts.
  enum Expansion {
    static let specs: [String: MacroSpec] = {
      var specs = [
        "Entity": MacroSpec(type: TypeMacro.self, conformances: ["Entity"]),
        "Relationship": MacroSpec(type: TypeMacro.self, conformances: ["Entity", "Relationship"]),
        "Local": MacroSpec(type: TypeMarker.self),
      ]
      for name in Marker.Name.allCases where name != .local {
        specs[name.rawValue] = MacroSpec(type: PropertyMarker.self)
      }
      for name in ["Index", "Unique"] { specs[name] = MacroSpec(type: EitherMarker.self) }
      return specs
    }()

    /// Returns what the macros in a text say is wrong: a line of the text, and the message.
    static func messages(_ source: String) -> [String] {
      let file = Parser.parse(source: source)
      let context = BasicMacroExpansionContext(
        sourceFiles: [file: .init(moduleName: "App", fullFilePath: "App.swift")])
      _ = file.expand(macroSpecs: specs) { node in
        BasicMacroExpansionContext(
          sharingWith: context, lexicalContext: node.allMacroLexicalContexts())
      }
      return context.diagnostics.map(\.message)
    }

    /// Checks what a text becomes, and what its first fix makes of it.
    static func expect(
      _ source: String, becomes expanded: String, diagnostics: [DiagnosticSpec] = [],
      fixed: String? = nil, location: Testing.SourceLocation = #_sourceLocation
    ) {
      assertMacroExpansion(
        source, expandedSource: expanded, diagnostics: diagnostics, macroSpecs: specs,
        fixedSource: fixed, indentationWidth: .spaces(2),
        failureHandler: { failure in
          Issue.record("\(failure.message)", sourceLocation: location)
        })
    }
  }
#endif
