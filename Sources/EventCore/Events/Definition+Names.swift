extension Definition.Field {
  /// The same field under a later name: `Field("headline", …).formerly("title")`.
  ///
  /// A field's identity is its first name, by which events go on to call it; the attribute `name`
  /// holds the one under which it is shown.
  public func formerly(_ earlier: String) -> Definition.Field {
    var renamed = self
    renamed.name = earlier
    renamed.attributes["name"] = .text(name)
    return renamed
  }

  /// The name under which it is to be shown, as far as this definition says.
  public var shownName: String {
    if case .text(let name)? = attributes["name"] { name } else { name }
  }
}
