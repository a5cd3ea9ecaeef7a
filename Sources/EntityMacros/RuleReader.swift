#if Macros
  import SwiftSyntax

  /// Reads the rules that concern a whole type: its attributes, and the key of a relationship.
  struct RuleReader {
    let shape: EntityShape
    let structure: StructDeclSyntax
    let findings: Findings

    /// Returns the calls that `refine` makes: `.local()`, `.unique("a", "b")`, and so on.
    func rules() -> [String] {
      var rules: [String] = []
      if let key = shape.ends?.key, !key.isEmpty {
        rules.append(".keyed(by: \(quoted(key)))")
      }
      let markers = Marker.all(structure.attributes)
      for marker in markers {
        switch marker.name {
        case .local: rules.append(".local()")
        case .unique: unique(marker).map { rules.append($0) }
        case .index: index(marker).map { rules.append($0) }
        default: break
        }
      }
      guard let refine = shape.written.refine else { return rules }
      for marker in markers where [.local, .unique, .index].contains(marker.name) {
        findings.report(
          marker.attribute, "refine",
          "“\(shape.name)” has a “refine” of its own: remove \(marker.text) here, "
            + "and \(Self.instead(marker.name)) there")
      }
      if let key = shape.ends?.key, !key.isEmpty, !refine.description.contains("keyed(by:") {
        findings.report(
          refine.name, "refine",
          "“refine” is written here, so the key must be, too: "
            + "add “.keyed(by: \(quoted(key)))” to the definition")
      }
      return []
    }

    private static func instead(_ name: Marker.Name) -> String {
      switch name {
      case .local: "add “.local()” to the definition"
      case .unique: "add “.unique(…)” to the definition"
      default: "add “.indexed(by: …)” to the definition"
      }
    }

    private func quoted(_ names: [String]) -> String {
      names.map { "\"\($0)\"" }.joined(separator: ", ")
    }

    private func unique(_ marker: Marker) -> String? {
      guard let fields = set(marker) else { return nil }
      let names = quoted(fields.map(\.name))
      guard let comparison = marker.comparison else { return ".unique(\(names))" }
      let kinds = fields.map { field in
        // The ends of a relationship are no properties, and hold ids.
        shape.fields.first { $0.name == field.name }.map { $0.type?.kind ?? .unknown } ?? .id
      }
      if marker.isFolded, !kinds.contains(where: { $0 == .text || $0 == .unknown }) {
        findings.report(
          comparison, "set",
          "none of the properties is a text, and only texts have a case: leave out "
            + "“\(comparison.trimmedDescription)”")
        return nil
      }
      return ".unique(\(comparison.trimmedDescription), \(names))"
    }

    private func index(_ marker: Marker) -> String? {
      guard let fields = set(marker) else { return nil }
      var by = fields.map { $0.isDescending ? ".descending(\"\($0.name)\")" : "\"\($0.name)\"" }
        .joined(separator: ", ")
      if let condition = marker.argument("where"), let field = field(condition, marker) {
        by += ", where: \"\(field.name)\""
      }
      return ".indexed(by: \(by))"
    }

    /// Returns the fields that an attribute of the type names; nil if something is wrong with them.
    private func set(_ marker: Marker) -> [NamedField]? {
      let arguments = marker.namedProperties
      guard !arguments.isEmpty else { return nil }  // Reported where the attribute is expanded.
      let fields = arguments.compactMap { field($0.expression, marker) }
      guard fields.count == arguments.count else { return nil }
      var seen: Set<String> = []
      for field in fields where !seen.insert(field.name).inserted {
        findings.report(
          field.node, "set", "\(marker.text) names “\(field.name)” twice: remove one")
        return nil
      }
      if fields.count == 1, marker.name == .unique || marker.argument("where") == nil,
        !fields[0].isDescending
      {
        findings.report(
          marker.attribute, "set",
          "\(marker.text) names one property: write it at the property, as "
            + "“\(marker.text)\(marker.comparison.map { "(\($0.trimmedDescription))" } ?? "") "
            + "var \(fields[0].name)”")
        return nil
      }
      if fields.count > 8 {
        findings.report(
          marker.attribute, "set",
          "\(marker.text) names \(fields.count) properties, and 8 are the most: leave some out")
        return nil
      }
      if marker.name == .unique, let descending = fields.first(where: \.isDescending) {
        findings.report(
          descending.node, "set",
          "only an index has an order: write “\\.\(descending.name)” without “descending”")
        return nil
      }
      let place = fields.first { field in
        shape.fields.contains { $0.name == field.name && $0.type?.kind == .place }
      }
      if marker.name == .unique, let place {
        findings.report(
          place.node, "set",
          "“\(place.name)” is a place in an order, and two devices may give the same: "
            + "leave it out of @Unique, or write @Index")
        return nil
      }
      return fields
    }

    private func field(_ expression: ExprSyntax, _ marker: Marker) -> NamedField? {
      guard let field = NamedField(expression) else {
        findings.report(
          expression, "set", "\(marker.text) names properties: write “\(marker.text)(\\.a, \\.b)”")
        return nil
      }
      let ends = shape.ends == nil ? [] : ["from", "to"]
      if let end = ends.firstIndex(of: field.name) {
        return field.named(["source", "target"][end])
      }
      guard shape.fields.contains(where: { $0.name == field.name }) else {
        let isTransient = shape.properties.contains { $0.name == field.name }
        findings.report(
          expression, "set",
          isTransient
            ? "\(marker.text) names “\(field.name)”, which is @Transient, so no field has it"
            : "\(marker.text) names “\(field.name)”, which is no property of “\(shape.name)”"
              + TypeReader.known(shape))
        return nil
      }
      return field
    }
  }
#endif
