extension Definition.Field {
  /// Returns the same field under a later name: `Field("headline", …).formerly("title")`.
  ///
  /// A field's identity is its first name, and events keep using it. The attribute `name` holds the
  /// name that is shown.
  public func formerly(_ earlier: String) -> Definition.Field {
    var renamed = self
    renamed.name = earlier
    renamed.attributes["name"] = .text(name)
    return renamed
  }

  /// The name to show for the field, according to this definition alone.
  public var shownName: String {
    if case .text(let name)? = attributes["name"] { name } else { name }
  }
}
