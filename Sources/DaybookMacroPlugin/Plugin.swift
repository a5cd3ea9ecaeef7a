#if Macros
  import DaybookEntityMacros
  import SwiftCompilerPlugin
  import SwiftSyntaxMacros

  @main struct Plugin: CompilerPlugin {
    let providingMacros: [any Macro.Type] = [
      Entity.self, Relationship.self, PropertyMarker.self, TypeMarker.self,
    ]
  }

  // The compiler looks for these types in this module.

  struct Entity: EntityTypeMacro {}
  struct Relationship: EntityTypeMacro {}
  struct PropertyMarker: PropertyMarkerMacro {}
  struct TypeMarker: TypeMarkerMacro {}
#else
  @main struct Plugin {
    static func main() {}
  }
#endif
