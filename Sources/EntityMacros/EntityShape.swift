#if Macros
  import SwiftSyntax

  /// What a macro knows about an entity's type: all that it generates follows from this.
  struct EntityShape {
    let name: String
    let access: Access
    let collection: String
    /// All stored properties except the id, in their order, also those that no field keeps.
    var properties: [Property] = []
    /// The id, if it is a stored property; a relationship has none of its own.
    var id: Property?
    /// What `refine` does to the definition: `.local()`, for example.
    var rules: [String] = []
    /// The ends of a relationship.
    var ends: Ends?
    /// What the author has written.
    var written: Written

    /// The entity types at the ends of a relationship, and the fields that its id follows from.
    struct Ends {
      var from: String
      var to: String
      var key: [String]
    }

    /// Members that the author has written, and that are not generated.
    struct Written {
      var initializers: [InitializerDeclSyntax] = []
      var refine: FunctionDeclSyntax?
      var read = false

      var hasEmptyInitializer: Bool {
        initializers.contains { initializer in
          initializer.signature.parameterClause.parameters.isEmpty
            && initializer.optionalMark == nil
        }
      }

      init(_ members: MemberBlockItemListSyntax) {
        for member in members {
          if let initializer = member.decl.as(InitializerDeclSyntax.self) {
            initializers.append(initializer)
          } else if let function = member.decl.as(FunctionDeclSyntax.self) {
            let count = function.signature.parameterClause.parameters.count
            if function.name.text == "refine", count == 1 { refine = function }
            if function.name.text == "read", count == 1 { read = true }
          }
        }
      }
    }

    /// The properties that the store keeps in fields; not those that are reported as mistakes.
    var fields: [Property] {
      properties.filter { !$0.isTransient && !$0.isConstant && !$0.isLazy }
    }
  }
#endif
