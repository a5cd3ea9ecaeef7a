package import DaybookEventCore
package import DaybookProjections

extension Definition {
  /// Returns the definition with what it takes away of a collection's rules: those that the
  /// collection has, and the definition does not mention.
  package func whole(against known: CollectionSchema) -> Definition {
    var whole = self
    for set in known.uniqueSets {
      let attribute = IndexSchema.uniqueAttribute + set.fields.joined(separator: ",")
      let isDeclared = attributes.contains { name, value in
        guard name.begins(with: IndexSchema.uniqueAttribute), Uniqueness(value) != nil else {
          return false
        }
        let names = IndexSchema.names(name, IndexSchema.uniqueAttribute)
        return names.map(identity(named:)) == set.fields
      }
      if !isDeclared { whole.attributes[attribute] = .boolean(false) }
    }
    whole.fields = fields.map { field in
      guard let present = known[identity: field.name] else { return field }
      var field = field
      func take(_ attribute: String, _ value: Value, if isThere: Bool) {
        if isThere, field.attributes[attribute] == nil { field.attributes[attribute] = value }
      }
      take("unique", .boolean(false), if: present.isUnique)
      take("tree", .boolean(false), if: present.isTree)
      take("kept", .null, if: present.kept != nil)
      take("default", .null, if: present.defaultValue != nil)
      take("onDelete", .text(ReferenceRule.keep.rawValue), if: present.onDelete != .keep)
      take("references", .null, if: present.references != nil)
      return field
    }
    return whole
  }

  private func identity(named name: String) -> String {
    fields.first { $0.shownName == name }?.name ?? name
  }
}
