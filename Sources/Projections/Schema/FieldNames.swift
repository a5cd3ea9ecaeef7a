import EventCore

/// Under which name each field of a collection is shown.
///
/// A field's identity is its first name, by which every event calls it. The attribute `name` gives it
/// a later one. First names are never lent: so the name under which a field is shown, and its first
/// name, always mean that field.
struct FieldNames {
  /// By identity; a field that is not here is not shown.
  private(set) var shown: [String: String] = [:]

  /// The first name of the field that is shown under a name which SQLite cannot tell from this one.
  func holder(of name: String) -> String? {
    let folded = Names.folded(name)
    return shown.first { Names.folded($0.value) == folded }?.key
  }

  /// - Parameters:
  ///   - identities: of the declared fields.
  ///   - ends: names that no other field may have.
  ///   - wish: the later name that a field has been given.
  init(_ identities: some Collection<String>, ends: [String], wish: (String) -> String?) {
    let sorted = identities.sorted(by: utf8Less)
    var holders: [String: Int] = [:]
    for identity in sorted { holders[Names.folded(identity), default: 0] += 1 }
    var taken = Set(ends)
    var rest: [String] = []
    for identity in sorted {
      guard let name = wish(identity), Names.isValidField(name) else {
        rest.append(identity)
        continue
      }
      let folded = Names.folded(name)
      let others = holders[folded, default: 0] - (folded == Names.folded(identity) ? 1 : 0)
      if others == 0, taken.insert(folded).inserted {
        shown[identity] = name
      } else {
        rest.append(identity)
      }
    }
    // Of names that SQLite cannot tell apart, the first in byte order stays.
    for identity in rest where taken.insert(Names.folded(identity)).inserted {
      shown[identity] = identity
    }
  }
}
