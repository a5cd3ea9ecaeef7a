#if Macros
  import SwiftSyntax

  extension InitializerDeclSyntax {
    /// Whether the initializer is called as `init()`; one that has to be awaited is another.
    var isEmpty: Bool {
      signature.parameterClause.parameters.isEmpty
        && signature.effectSpecifiers?.asyncSpecifier == nil
    }
  }

  extension IfConfigClauseSyntax {
    /// The declarations of the clause.
    var members: MemberBlockItemListSyntax {
      if case .decls(let members)? = elements { members } else { [] }
    }

    var initializers: [InitializerDeclSyntax] {
      members.compactMap { $0.decl.as(InitializerDeclSyntax.self) }
    }
  }

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
      /// Blocks of `#if` that have initializers.
      var conditions: [IfConfigDeclSyntax] = []
      var refine: FunctionDeclSyntax?
      var read = false

      var hasEmptyInitializer: Bool { initializers.contains(where: \.isEmpty) }

      init(_ members: MemberBlockItemListSyntax) {
        for member in members {
          if let initializer = member.decl.as(InitializerDeclSyntax.self) {
            initializers.append(initializer)
          } else if let condition = member.decl.as(IfConfigDeclSyntax.self),
            condition.clauses.contains(where: { !$0.initializers.isEmpty })
          {
            conditions.append(condition)
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
