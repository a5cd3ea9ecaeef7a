#if Macros
  import SwiftDiagnostics
  import SwiftSyntax
  import SwiftSyntaxBuilder

  /// Finds what is wrong with one stored property and its attributes.
  struct PropertyReader {
    let property: Property
    let shape: EntityShape
    let isRelationship: Bool
    let findings: Findings

    init(
      property: Property, shape: EntityShape, isRelationship: Bool, _ findings: Findings
    ) {
      self.property = property
      self.shape = shape
      self.isRelationship = isRelationship
      self.findings = findings
    }

    private var name: String { property.name }

    func check() {
      checkRepeated()
      if let transient = property.marker(.transient) {
        for other in property.markers where other.name != .transient {
          report(
            other, "transient",
            "“\(name)” is @Transient, so the store does not have it: "
              + "remove \(other.text) or @Transient")
        }
        if property.initializer == nil, property.type?.isOptional != true {
          report(
            transient, "default",
            "“\(name)” needs a default, which an entity has that comes from the store")
        } else {
          checkLongOptional()
        }
        return
      }
      guard isVariable(), isStorable() else { return }
      checkDefault()
      for marker in property.markers { check(marker) }
      checkKept()
    }

    private func report(_ marker: Marker, _ id: String, _ message: String) {
      findings.report(marker.attribute, id, message)
    }

    private func checkRepeated() {
      var seen: Set<Marker.Name> = []
      for marker in property.markers where !seen.insert(marker.name).inserted {
        report(marker, "repeated", "“\(name)” has \(marker.text) twice: remove one")
      }
    }

    // MARK: - The property

    private func isVariable() -> Bool {
      if property.isConstant {
        let keyword = property.declaration.bindingSpecifier
        findings.report(
          keyword, "constant",
          "“let \(name)” cannot be read from a store: write “var \(name)”, or “static let” "
            + "if it is the same for all, or @Transient",
          fixes: [
            .replacing(keyword, with: keyword.with(\.tokenKind, .keyword(.var)), "Write “var”")
          ])
        return false
      }
      if property.isLazy {
        findings.report(
          property.node, "lazy",
          "“lazy var \(name)” has no value until it is used, so it cannot be stored: "
            + "remove “lazy”, or write @Transient")
        return false
      }
      if property.isObserved {
        findings.report(
          property.node, "observer",
          "“\(name)” has an observer, which would also run when an entity is read: "
            + "remove the observer, or write @Transient")
        return false
      }
      if let actor = property.declaration.attributes.attribute("MainActor") {
        findings.report(
          actor, "actor",
          "“\(name)” cannot be @MainActor, because stores read entities on other threads: "
            + "remove it here. Functions and computed properties can have it")
        return false
      }
      return true
    }

    /// Whether the text shows a type that no field can have.
    private func isStorable() -> Bool {
      var kind: String?
      if let annotation = property.annotation {
        var type = annotation
        while let optional = type.as(OptionalTypeSyntax.self) { type = optional.wrappedType }
        if let attributed = type.as(AttributedTypeSyntax.self) { type = attributed.baseType }
        if let tuple = type.as(TupleTypeSyntax.self) {
          let inner = tuple.elements.first?.type
          kind =
            tuple.elements.count != 1
            ? "tuple" : inner?.is(FunctionTypeSyntax.self) == true ? "closure" : nil
        } else if type.is(FunctionTypeSyntax.self) {
          kind = "closure"
        }
      } else if let tuple = property.initializer?.as(TupleExprSyntax.self),
        tuple.elements.count != 1
      {
        kind = "tuple"
      } else if property.initializer?.is(ClosureExprSyntax.self) == true {
        kind = "closure"
      }
      guard let kind else { return true }
      findings.report(
        property.node, "type",
        kind == "tuple"
          ? "“\(name)” is a tuple, which cannot be stored: "
            + "declare a structure that is Codable, or write @Transient"
          : "“\(name)” is a closure, which cannot be stored: "
            + "write @Transient, or make it a function"
      )
      return false
    }

    /// Reports an optional that Swift gives no default.
    private func checkLongOptional() {
      guard property.initializer == nil, let annotation = property.annotation,
        TypeText.isLongOptional(annotation)
      else { return }
      let short = TypeSyntax("\(raw: TypeText(annotation).base)?")
      findings.report(
        annotation, "default",
        "“\(name)” has no default, because only a type that is written with “?” begins with nil: "
          + "write “var \(property.code): \(short)”",
        fixes: [.replacing(annotation, with: short, "Write “\(short)”")])
    }

    private func checkDefault() {
      checkLongOptional()
      guard property.initializer == nil, let type = property.type, !type.isOptional else { return }
      var fixes: [FixIt] = []
      var instead = "“var \(property.code): \(type.base)?”"
      if let usual = type.usualDefault {
        let binding = property.binding
        let value = InitializerClauseSyntax(
          equal: .equalToken(leadingTrivia: .space, trailingTrivia: .space),
          value: ExprSyntax("\(raw: usual)"))
        instead = "“var \(property.code): \(type.base) = \(usual)”, or " + instead
        fixes = [
          .replacing(
            binding,
            with: binding.with(\.typeAnnotation, binding.typeAnnotation?.trimmed)
              .with(\.initializer, value),
            "Add “= \(usual)”")
        ]
      } else if type.target == nil {
        instead = "“var \(property.code): \(type.base) = …”, or " + instead
      }
      findings.report(
        property.node, "default",
        "“\(name)” needs a default, which entities show that are older than the field: "
          + "write \(instead)", fixes: fixes)
    }

    // MARK: - Attributes

    private func check(_ marker: Marker) {
      switch marker.name {
      case .search: checkSearch(marker)
      case .created, .modified: checkMoment(marker)
      case .version: checkVersion(marker)
      case .reference: checkReference(marker)
      case .tree: checkTree(marker)
      case .weight: checkWeight(marker)
      case .field: checkField(marker)
      case .merging: checkMerging(marker)
      case .unique: checkUnique(marker)
      case .index, .transient, .local: break
      }
    }

    private func checkUnique(_ marker: Marker) {
      guard property.type?.kind != .place else {
        report(
          marker, "unique",
          "“\(name)” is a place in an order, and two devices may give the same: remove @Unique. "
            + "Entities in one place are in the order of their ids")
        return
      }
      if let kind = property.type?.kind, marker.isFolded, kind != .text, kind != .unknown {
        report(
          marker, "unique",
          "“\(name)” is \(kind == .id ? "an id" : Self.words[kind] ?? "no text"), "
            + "which has no case: write @Unique")
      }
      guard marker.namedProperties.isEmpty, !property.isKept, !property.isComputed,
        let value = property.initializer, !value.is(NilLiteralExprSyntax.self),
        property.type?.isOptional != true
      else { return }
      let type = property.type.map(\.base) ?? "String"
      report(
        marker, "unique",
        "“\(name)” is @Unique, and all entities that are older than the field would have "
          + "\(value.trimmedDescription): write “var \(property.code): \(type)?”")
    }

    private func checkSearch(_ marker: Marker) {
      if let words = Self.words[property.type?.kind ?? .other] {
        report(
          marker, "search",
          "“\(name)” is \(words), which has no words to search: remove @Search. "
            + "@Index makes it quick to find")
      }
      guard let weight = marker.argument("weight") else { return }
      let text = weight.trimmedDescription.replacing("_", with: "")
      if let number = Double(text), number <= 0 {
        findings.report(
          weight, "search",
          "the weight of “\(name)” must be more than 0: 1 is usual, and 2 counts twice")
      }
    }

    private func checkMerging(_ marker: Marker) {
      guard let kind = property.type?.kind, ![.text, .unknown].contains(kind) else { return }
      report(
        marker, "merging",
        "@Merging is for texts, so “\(name)” must be a String: remove @Merging. "
          + "Of other values the last write counts")
    }

    /// What cannot be searched, in words.
    private static let words: [TypeText.Kind: String] = [
      .integer: "a number", .real: "a number", .boolean: "true or false", .date: "a date",
      .data: "data", .place: "a place in an order",
    ]

    private func checkMoment(_ marker: Marker) {
      guard let kind = property.type?.kind, ![.date, .unknown].contains(kind) else { return }
      report(
        marker, "kept",
        "\(marker.text) keeps a moment, so “\(name)” must be a Date: "
          + "write “var \(property.code) = Date.distantPast”")
    }

    private func checkVersion(_ marker: Marker) {
      guard let kind = property.type?.kind, ![.integer, .unknown].contains(kind) else { return }
      report(
        marker, "kept",
        "@Version keeps the number of writes, so “\(name)” must be an Int: "
          + "write “var \(property.code) = 0”")
    }

    private func checkKept() {
      guard let kept = property.markers.first(where: \.name.isKept) else { return }
      for other in property.markers where other.name != kept.name {
        switch other.name {
        case .index, .field, .transient, .local: break
        case .created, .modified, .version:
          report(
            other, "kept",
            "“\(name)” cannot be both \(kept.text) and \(other.text): "
              + "declare a property for each")
        default:
          report(
            other, "kept",
            "“\(name)” cannot be \(other.text), because the store keeps it with \(kept.text): "
              + "remove one of the attributes")
        }
      }
    }

    private func checkReference(_ marker: Marker) {
      guard property.target != nil else {
        report(
          marker, "reference",
          "@Reference needs the id of an entity, such as “var \(property.code): Folder.ID?”")
        return
      }
      guard let rule = marker.argument("onDelete"), property.type?.isOptional == false,
        property.type?.kind == .id,
        rule.trimmedDescription.hasSuffix(".nullify")
      else { return }
      findings.report(
        rule, "reference",
        "with .nullify, “\(name)” becomes nil: write “var \(property.code): "
          + "\(property.type?.base ?? "Folder.ID")?”")
    }

    private func checkTree(_ marker: Marker) {
      let target = property.type?.target
      guard target != "Self", target != shape.name, target?.hasSuffix("." + shape.name) != true,
        target != nil || property.target == nil
      else { return }
      report(
        marker, "tree",
        "@Tree needs a reference to the same type: write “var \(property.code): \(shape.name).ID?”")
    }

    private func checkWeight(_ marker: Marker) {
      guard isRelationship else {
        report(
          marker, "weight",
          "@Weight belongs in a @Relationship, where the graph adds it up: remove it here. "
            + "@Search(weight: 2) weighs a text in a search")
        return
      }
      guard let type = property.type else { return }
      let isText = type.kind == .other && type.base.hasPrefix("[")
      guard isText || ![.integer, .real, .other, .unknown].contains(type.kind) else { return }
      report(
        marker, "weight",
        "@Weight needs a number: write “var \(property.code) = 1.0”")
    }

    private func checkField(_ marker: Marker) {
      var seen: Set<String> = []
      for argument in marker.earlierNames {
        guard let earlier = argument.literalText else {
          findings.report(
            argument, "formerly",
            "the earlier name of “\(name)” must be a plain text in quotes, because stores keep it")
          return
        }
        if !StoreName.isValid(earlier) || StoreName.folded(earlier) == "id" {
          findings.report(
            argument, "formerly",
            "“\(earlier)” was never the name of a field: a name is \(StoreName.rule)")
        } else if earlier == name {
          findings.report(
            argument, "formerly",
            "“\(name)” has this name now: write the name that it had before, or remove @Field")
        } else if !seen.insert(StoreName.folded(earlier)).inserted {
          findings.report(
            argument, "formerly", "“\(earlier)” is there twice: write each earlier name once")
        }
      }
    }
  }
#endif
