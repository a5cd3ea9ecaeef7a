extension Definition {
  /// Whether the collection is this replica's own: durable and searchable like others, and never told
  /// to anybody. Decided when it is first defined.
  public var isLocal: Bool { attributes["local"] == .boolean(true) }

  /// The same definition of a collection that never leaves this replica: the settings of a device, say.
  /// It may refer to shared collections, and they not to it. No transaction writes to both kinds.
  public func local() -> Definition {
    var local = self
    local.attributes["local"] = .boolean(true)
    return local
  }
}
