public import DaybookEngine
import DaybookEventCore
import DaybookProjections

extension FieldClash {
  /// Returns the three values as those of a property; nil if the clash is one of another field.
  ///
  /// A property shows its default for a value that it cannot hold, such as an unknown case.
  public func values<E: Entity, V>(of property: KeyPath<E, V>) -> (base: V, stored: V, edited: V)? {
    let layout = EntityLayout<E>.shared
    guard E.collection == collection, let place = layout.place(of: property),
      layout.names[place] == field
    else { return nil }
    func shown(_ value: Value) -> V { layout.shown(value, at: place, property) }
    return (shown(base), shown(stored), shown(edited))
  }
}

extension FieldClash {
  /// What becomes of a field that a form and others have changed.
  public enum Rule: Sendable {
    /// Nothing of the form is written, and the error lists the fields.
    case refuse
    /// The store keeps what others have written. The rest of the form is written.
    case keepStored
    /// The form's value is written, over what others have written.
    case overwrite
  }
}

/// What has become of a form that was saved.
public struct FormOutcome<Model: Entity>: Sendable {
  /// The entity as it is now, with what others have changed; the base of the next save.
  public var current: Versioned<Model>
  /// The fields that others had changed as well, with the values that did not count.
  public var clashes: [FieldClash]

  /// Makes an outcome, for example for a test with a repository of its own.
  public init(current: Versioned<Model>, clashes: [FieldClash] = []) {
    self.current = current
    self.clashes = clashes
  }
}
