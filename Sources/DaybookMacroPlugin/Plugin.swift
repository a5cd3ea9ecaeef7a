#if Macros
  import SwiftCompilerPlugin
  import SwiftSyntaxMacros

  @main struct Plugin: CompilerPlugin {
    let providingMacros: [any Macro.Type] = [
      EntityMacro.self, RelationshipMacro.self, PropertyMarkerMacro.self, TypeMarkerMacro.self,
    ]
  }
#else
  @main struct Plugin {
    static func main() {}
  }
#endif
