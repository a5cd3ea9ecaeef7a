extension Definition {
  /// Whether the collection is local: durable and searchable as any other, but never synced.
  ///
  /// The first definition of a collection decides this.
  public var isLocal: Bool { attributes["local"] == .boolean(true) }

  /// Returns the same definition as a local collection, which is never synced.
  ///
  /// The settings of a device are an example. A local collection may refer to shared collections,
  /// but not the other way round. One transaction cannot write to both kinds.
  public func local() -> Definition {
    var local = self
    local.attributes["local"] = .boolean(true)
    return local
  }
}
