#if Macros
  /// The root of the key paths in the arguments of a macro, such as `\.kind`.
  ///
  /// The compiler checks the arguments of a macro before it knows the type that the macro is on. So
  /// these key paths begin here, where each name is a ``FieldName``. The macro reads the name, and
  /// reports one that is no property.
  @dynamicMemberLookup public struct FieldNames: Sendable {
    private init() {}

    /// The name of any property. The macro reports one that the type does not have.
    public subscript(dynamicMember name: String) -> FieldName { FieldName() }
  }

  /// The name of a property in the argument of a macro.
  public struct FieldName: Sendable {
    /// The same field, sorted downwards by an index: `@Index(\.folder, \.modified.descending)`.
    public var descending: FieldName { self }
  }
#endif
