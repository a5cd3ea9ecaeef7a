/// A write that is part of a conflict about a field.
struct ConflictWrite: Hashable {
  var field: String
  var ref: WriteRef
}
