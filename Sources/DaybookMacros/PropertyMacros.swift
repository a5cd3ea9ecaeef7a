#if Macros
  public import Daybook

  /// Makes the words of a property part of the collection's search index.
  ///
  /// ```swift
  /// @Search var body = ""
  /// ```
  /// `store.search("oat milk", in: "notes")` then finds the entity. Texts can be searched, and
  /// properties that are stored as JSON.
  @attached(peer) public macro Search() =
    #externalMacro(module: "DaybookMacroPlugin", type: "PropertyMarker")

  /// Makes the words of a property part of the collection's search index, with a weight.
  ///
  /// ```swift
  /// @Search(weight: 2) var title = ""
  /// ```
  /// - Parameter weight: what a word in this property counts in the ranking; more than 0, and 1
  ///   without this argument.
  @attached(peer) public macro Search(weight: Double) =
    #externalMacro(module: "DaybookMacroPlugin", type: "PropertyMarker")

  /// Gives a property an index, so that queries find and sort entities by it quickly.
  ///
  /// ```swift
  /// @Index var pinned = false
  /// ```
  @attached(peer) public macro Index() =
    #externalMacro(module: "DaybookMacroPlugin", type: "PropertyMarker")

  /// Gives a property values that no two live entities share.
  ///
  /// ```swift
  /// @Unique var isbn: String?
  /// ```
  /// Entities without a value are like no other, so the property is optional, or each new entity
  /// begins with another value.
  ///
  /// A local write that breaks the rule is refused. After a merge, the entity that was written
  /// first is shown, and `Store.hidden` lists the others.
  @attached(peer) public macro Unique() =
    #externalMacro(module: "DaybookMacroPlugin", type: "PropertyMarker")

  /// Gives a property values that no two live entities share, and says how they are compared.
  ///
  /// ```swift
  /// @Unique(.folded) var email: String?
  /// ```
  /// “Ann@example.com” and “ann@example.com” are then one value, and so are the forms in which
  /// Unicode writes “é”. Each entity keeps its own spelling. Everything else is as with
  /// ``Unique()``.
  ///
  /// Whether a field is unique, and how, is the same for all versions of an app. So a property that
  /// was `@Unique` becomes `@Unique(.folded)` by `WriteTransaction.define(_:)` of the type, in a
  /// migration.
  /// - Parameter comparison: how values are compared; `.folded` is for texts.
  @attached(peer) public macro Unique(_ comparison: Uniqueness) =
    #externalMacro(module: "DaybookMacroPlugin", type: "PropertyMarker")

  /// Makes changes of a text property merge with what others change meanwhile.
  ///
  /// ```swift
  /// @Merging @Search var body = ""
  /// ```
  /// Two authors may change the text while they are apart, and the text has what both typed. An
  /// assignment in code is compared with the text before, and the difference is written;
  /// `WriteTransaction.edit(_:_:_:)` writes single changes.
  @attached(peer) public macro Merging() =
    #externalMacro(module: "DaybookMacroPlugin", type: "PropertyMarker")

  /// Makes a property refer to an entity of another type, or of the same.
  ///
  /// ```swift
  /// @Reference(onDelete: .nullify) var folder: Folder.ID?
  /// ```
  /// - Parameter rule: what becomes of this entity when the other one is deleted. With `cascade` it
  ///   is deleted too, with `nullify` the property becomes nil, and with `keep` it stays as it is.
  @attached(peer) public macro Reference(onDelete rule: ReferenceRule = .keep) =
    #externalMacro(module: "DaybookMacroPlugin", type: "PropertyMarker")

  /// Makes a reference to the same type a tree: no entity is above itself.
  ///
  /// ```swift
  /// @Tree var parent: Folder.ID?
  /// @Tree @Reference(onDelete: .cascade) var owner: Folder.ID?
  /// ```
  /// A local write that breaks the rule is refused. After a merge, one reference of each circle is
  /// nil, and `Store.hidden` lists it. `@Tree` without ``Reference(onDelete:)`` keeps references to
  /// deleted entities.
  @attached(peer) public macro Tree() =
    #externalMacro(module: "DaybookMacroPlugin", type: "PropertyMarker")

  /// Makes a date show when the entity was first inserted.
  ///
  /// ```swift
  /// @Created var created = Date.distantPast
  /// ```
  /// The store keeps it, from the events. What an app sets there is not written.
  @attached(peer) public macro Created() =
    #externalMacro(module: "DaybookMacroPlugin", type: "PropertyMarker")

  /// Makes a date show when the entity was last written to.
  ///
  /// ```swift
  /// @Modified var modified = Date.distantPast
  /// ```
  /// The store keeps it, from the events. What an app sets there is not written.
  @attached(peer) public macro Modified() =
    #externalMacro(module: "DaybookMacroPlugin", type: "PropertyMarker")

  /// Makes an integer show the number of writes to the entity.
  ///
  /// ```swift
  /// @Version var version = 0
  /// ```
  /// The store keeps it, from the events. What an app sets there is not written.
  @attached(peer) public macro Version() =
    #externalMacro(module: "DaybookMacroPlugin", type: "PropertyMarker")

  /// Makes a number the weight of a relationship, and gives it an index.
  ///
  /// ```swift
  /// @Relationship("links", from: Note.self, to: Note.self) struct Link {
  ///   @Weight var strength = 1.0
  /// }
  /// ```
  /// A relationship has at most one weight.
  @attached(peer) public macro Weight() =
    #externalMacro(module: "DaybookMacroPlugin", type: "PropertyMarker")

  /// Says which name the field of a property had before.
  ///
  /// ```swift
  /// @Field(formerly: "title") var headline = ""
  /// ```
  /// Entities keep their values. The field is shown under its new name, on every replica that the
  /// definition arrives at. Older versions of the app read and write it as before.
  /// - Parameters:
  ///   - first: the first name that the field ever had.
  ///   - others: the names that it had after that and before this one, oldest first.
  @attached(peer) public macro Field(formerly first: String, _ others: String...) =
    #externalMacro(module: "DaybookMacroPlugin", type: "PropertyMarker")

  /// Keeps a property out of the store.
  ///
  /// ```swift
  /// @Transient var isSelected = false
  /// ```
  /// An entity that is read from a store has the default there.
  @attached(peer) public macro Transient() =
    #externalMacro(module: "DaybookMacroPlugin", type: "PropertyMarker")
#endif
