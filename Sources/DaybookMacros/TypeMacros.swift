#if Macros
  public import Daybook

  /// Makes a structure the type of the entities of a collection.
  ///
  /// ```swift
  /// @Entity("folders") struct Folder { var id = ID(); var name = "" }
  /// @Entity("notes") struct Note {
  ///   var id = ID()                          // a Note.ID, never a Folder.ID
  ///   @Search(weight: 2) var title = ""
  ///   @Reference(onDelete: .nullify) var folder: Folder.ID?
  ///   var tags: [String] = []                // stored as JSON
  /// }
  /// let store = try await Store.open(at: url, schema: [Folder.self, Note.self])
  /// try await store.write { try $0.insert(Note(title: "Oat milk")) }
  /// ```
  /// The structure has `var id = ID()`. Each other stored property becomes a field of its name. It
  /// has a default, or is optional: an entity that is older than the field shows the default.
  /// Computed and static properties are not stored, and neither are those with ``Transient()``.
  ///
  /// In a module whose default isolation is the main actor, write `nonisolated struct Note`.
  ///
  /// A public structure also gets a public initializer, for its public properties. Its parameters
  /// have the types of the defaults as they are written: `Kind` for `Kind.related`.
  /// - Parameter collection: the name of the collection: a letter, then up to 62 letters, digits
  ///   and underscores.
  @attached(
    member, names: named(ID), named(init), named(collection), named(fields), named(read),
    named(refine))
  @attached(extension, conformances: Entity)
  public macro Entity(_ collection: String) =
    #externalMacro(module: "DaybookMacroPlugin", type: "Entity")

  /// Says that the name of the collection is missing: write `@Entity("notes")`.
  @attached(member, names: named(init))
  public macro Entity() = #externalMacro(module: "DaybookMacroPlugin", type: "Entity")

  /// Makes a structure the type of relationships, which lead from one entity to another.
  ///
  /// ```swift
  /// @Relationship("links", from: Note.self, to: Note.self, unique: \.kind) struct Link {
  ///   enum Kind: String, Codable { case related, cites }
  ///   var kind = Kind.related
  ///   @Weight var strength = 1.0
  /// }
  /// try await store.write {
  ///   try $0.insertOrOverwrite(Link(from: milk.id, to: list.id, kind: .cites))
  /// }
  /// ```
  /// The structure gets the properties `id`, `from` and `to`, and an initializer with `from`, `to`
  /// and its own properties. The fields of the ends are called `source` and `target`. If the entity
  /// at one end is deleted, so is the relationship.
  ///
  /// With `unique:`, no two relationships have the same ends and the same values of these
  /// properties. The id follows from them, so the same relationship made on two devices is one. The
  /// ends and these properties cannot change later.
  /// - Parameters:
  ///   - collection: the name of the collection: a letter, then up to 62 letters, digits and
  ///     underscores.
  ///   - from: the type of the entities that the relationships come from.
  ///   - to: the type of the entities that they lead to.
  ///   - fields: the properties that, with both ends, tell relationships apart. If the ends alone
  ///     do, write `unique: \.from, \.to`. Without `unique:`, each relationship has a new id.
  @attached(
    member, names: named(init), named(id), named(from), named(to), named(collection),
    named(fields), named(read), named(refine))
  @attached(extension, conformances: Entity, Relationship)
  public macro Relationship<From: Entity, To: Entity>(
    _ collection: String, from: From.Type, to: To.Type,
    unique fields: KeyPath<FieldNames, FieldName>...
  ) = #externalMacro(module: "DaybookMacroPlugin", type: "Relationship")

  /// Keeps the entities of a type on their device: they are never synced.
  ///
  /// ```swift
  /// @Entity("settings") @Local struct Setting { var id = ID(); var theme = "" }
  /// ```
  /// They are durable, can be searched and have a history like others. The first definition of a
  /// collection decides whether it is local.
  @attached(peer) public macro Local() =
    #externalMacro(module: "DaybookMacroPlugin", type: "TypeMarker")

  /// Gives several properties of a type together values that no two live entities share.
  ///
  /// ```swift
  /// @Entity("books") @Unique(\.source, \.number) struct Book {
  ///   var id = ID()
  ///   var source = ""
  ///   var number = ""
  /// }
  /// ```
  /// A local write that breaks the rule is refused. After a merge, the entity that was written
  /// first is shown, and `Store.hidden` lists the others.
  /// - Parameter fields: two to eight properties of the type.
  @attached(peer) public macro Unique(_ fields: KeyPath<FieldNames, FieldName>...) =
    #externalMacro(module: "DaybookMacroPlugin", type: "TypeMarker")

  /// Gives several properties of a type together values that no two live entities share, and says
  /// how they are compared.
  ///
  /// ```swift
  /// @Entity("tags") @Unique(.folded, \.list, \.name) struct Tag {
  ///   var id = ID()
  ///   var list = ""
  ///   var name = ""
  /// }
  /// ```
  /// - Parameters:
  ///   - comparison: how values are compared. With `.folded`, texts are compared without case and
  ///     in whatever form of Unicode; what is no text is compared as it is.
  ///   - fields: two to eight properties of the type.
  @attached(peer) public macro Unique(
    _ comparison: Uniqueness, _ fields: KeyPath<FieldNames, FieldName>...
  ) = #externalMacro(module: "DaybookMacroPlugin", type: "TypeMarker")

  /// Gives a type an index of several properties, in which queries find and sort entities.
  ///
  /// ```swift
  /// @Entity("notes") @Index(\.folder, \.modified.descending) struct Note {
  ///   var id = ID()
  ///   var folder: Folder.ID?
  ///   @Modified var modified = Date.distantPast
  /// }
  /// ```
  /// - Parameters:
  ///   - fields: up to eight properties of the type, the one that is compared first before the
  ///     others. Those with `.descending` are sorted downwards.
  ///   - condition: the index holds only the entities in which this property is true, or, if it is
  ///     none of true and false, is not nil.
  @attached(peer) public macro Index(
    _ fields: KeyPath<FieldNames, FieldName>..., where condition: KeyPath<FieldNames, FieldName>
  ) = #externalMacro(module: "DaybookMacroPlugin", type: "TypeMarker")

  /// Gives a type an index of several properties, in which queries find and sort entities.
  ///
  /// ```swift
  /// @Entity("notes") @Index(\.folder, \.modified.descending) struct Note {
  ///   var id = ID()
  ///   var folder: Folder.ID?
  ///   @Modified var modified = Date.distantPast
  /// }
  /// ```
  /// - Parameter fields: up to eight properties of the type, the one that is compared first before
  ///   the others. Those with `.descending` are sorted downwards.
  @attached(peer) public macro Index(_ fields: KeyPath<FieldNames, FieldName>...) =
    #externalMacro(module: "DaybookMacroPlugin", type: "TypeMarker")
#endif
