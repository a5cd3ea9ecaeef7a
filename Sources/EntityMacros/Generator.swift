#if Macros
  import SwiftSyntax
  import SwiftSyntaxBuilder

  /// Writes what makes a structure an entity's type.
  struct Generator {
    let shape: EntityShape

    private var access: String { shape.access.modifier }

    /// Returns the members of the type. The extension with the conformance has none: names in it
    /// are not looked up in the types around the structure.
    func members() -> [DeclSyntax] {
      var members: [String] = []
      // Without a name of its own, `ID` is not clear: the protocol's follows from the id.
      if shape.id?.annotation?.trimmedDescription == "ID" {
        members.append("\(access)typealias ID = Daybook.EntityID<\(shape.name)>")
      }
      if let ends = shape.ends {
        members.append(id(ends))
        members.append("\(access)var from: Daybook.EntityID<\(ends.from)>")
        members.append("\(access)var to: Daybook.EntityID<\(ends.to)>")
      }
      let makesInitializer = TypeReader.makesInitializer(shape)
      if makesInitializer { members.append(initializer()) }
      if !shape.written.hasEmptyInitializer,
        makesInitializer || !shape.written.initializers.isEmpty
      {
        members.append(emptyInitializer())
      } else if !makesInitializer, shape.written.initializers.isEmpty {
        members += shape.written.conditions.map(emptyInitializers)
      }
      members.append("\(access)static var collection: String { \"\(shape.collection)\" }")
      members.append(fields())
      if !shape.written.read { members.append(read()) }
      if !shape.rules.isEmpty { members.append(refine()) }
      return members.map { DeclSyntax("\(raw: $0)") }
    }

    private func id(_ ends: EntityShape.Ends) -> String {
      let type = "Daybook.EntityID<\(shape.name)>"
      return ends.key.isEmpty
        ? "\(access)var id = \(type)()"
        : """
        \(access)var id: \(type) {
          get { Self.derivedID(of: self) }
          set {}
        }
        """
    }

    private func initializer() -> String {
      var parameters: [String] = []
      var lines: [String] = []
      if let ends = shape.ends {
        parameters = ["from: Daybook.EntityID<\(ends.from)>", "to: Daybook.EntityID<\(ends.to)>"]
        lines = ["self.from = from", "self.to = to"]
      }
      for property in TypeReader.parameters(shape) {
        guard let type = property.typeText, let value = property.defaultArgument(in: shape)
        else { continue }
        parameters.append("\(property.code): \(type) = \(value)")
        lines.append("self.\(property.code) = \(property.code)")
      }
      guard !parameters.isEmpty else { return emptyInitializer() }
      return """
        \(access)init(
          \(parameters.joined(separator: ",\n  "))
        ) {
          \(lines.joined(separator: "\n  "))
        }
        """
    }

    private func emptyInitializer() -> String {
      guard shape.ends != nil else { return "\(access)init() {}" }
      return """
        \(access)init() {
          self.from = ""
          self.to = ""
        }
        """
    }

    /// Returns empty initializers for the builds in which the author's leave none.
    private func emptyInitializers(_ condition: IfConfigDeclSyntax) -> String {
      let clauses = condition.clauses.map { clause in
        let words = [clause.poundKeyword.text, clause.condition?.trimmedDescription ?? ""]
        let line = words.filter { !$0.isEmpty }.joined(separator: " ")
        return clause.initializers.isEmpty ? line : line + "\n" + emptyInitializer()
      }
      return clauses.joined(separator: "\n") + "\n#endif"
    }

    private func refine() -> String {
      """
      \(access)static func refine(_ definition: Daybook.Definition) -> Daybook.Definition {
        definition
          \(shape.rules.joined(separator: "\n    "))
      }
      """
    }

    private func fields() -> String {
      var lines: [String] = []
      if let ends = shape.ends {
        lines.append(
          ".field(\"source\", \\.from).references(\(ends.from).self, onDelete: .cascade)")
        lines.append(".field(\"target\", \\.to).references(\(ends.to).self, onDelete: .cascade)")
      }
      lines += shape.fields.map { property in
        ".field(\"\(property.name)\", \\.\(property.code))" + rules(property)
      }
      return """
        \(deprecation)\(access)static let fields: [Daybook.EntityField<Self>] = [
          \(lines.map { $0 + "," }.joined(separator: "\n  "))
        ]
        """
    }

    /// Says that the following member uses deprecated properties, so that it gets no warning.
    private var deprecation: String {
      shape.fields.contains(where: \.isDeprecated) ? "@available(*, deprecated)\n" : ""
    }

    private func rules(_ property: Property) -> String {
      var calls = ""
      if property.has(.reference) || property.has(.tree), let target = property.target {
        let rule = property.marker(.reference)?.argument("onDelete")?.trimmedDescription ?? ".keep"
        calls += ".references(\(target).self, onDelete: \(rule))"
      }
      for marker in property.markers {
        switch marker.name {
        case .search:
          let weight = marker.argument("weight").map { "weight: \($0.trimmedDescription)" } ?? ""
          calls += ".searchable(\(weight))"
        case .index, .weight: if !calls.contains(".indexed()") { calls += ".indexed()" }
        case .unique: calls += ".unique(\(marker.comparison?.trimmedDescription ?? ""))"
        case .merging: calls += ".merging()"
        case .tree: calls += ".tree()"
        case .created: calls += ".kept(.created)"
        case .modified: calls += ".kept(.modified)"
        case .version: calls += ".kept(.version)"
        case .field:
          let earlier = marker.earlierNames.compactMap(\.literalText)
          if !earlier.isEmpty {
            calls += ".formerly(\(earlier.map { "\"\($0)\"" }.joined(separator: ", ")))"
          }
        case .reference, .transient, .local: break
        }
      }
      if property.isComputed, !property.isKept { calls += ".computed()" }
      return calls
    }

    private func read() -> String {
      let names = (shape.ends == nil ? [] : ["from", "to"]) + shape.fields.map(\.code)
      let lines = names.enumerated().map { "row.read(\($0.offset), into: &self.\($0.element))" }
      return """
        \(deprecation)\(access)mutating func read(_ row: Daybook.EntityRow) {
          \(lines.joined(separator: "\n  "))
        }
        """
    }
  }
#endif
