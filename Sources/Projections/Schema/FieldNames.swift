import DaybookEventCore

/// The names under which the fields of a collection are shown.
///
/// A field's identity is its first name, which every event uses. The attribute `name` gives it a
/// later name. First names are never lent: the first name of a field, and the name under which it
/// is shown, always mean that field.
struct FieldNames {
  /// By identity; a field that is absent is not shown.
  private(set) var shown: [String: String] = [:]

  /// Returns the identity of the field that is shown under this name, up to ASCII case.
  func holder(of name: String) -> String? {
    let folded = Names.folded(name)
    return shown.first { Names.folded($0.value) == folded }?.key
  }

  /// Assigns each field its shown name.
  /// - Parameters:
  ///   - identities: the identities of the declared fields.
  ///   - ends: names that no other field may have.
  ///   - wish: returns the later name that a field has been given; nil if none.
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
