import EventCore

/// Which relationships of a collection lead one way only, and which are followed both ways: what the
/// collection's attribute `directed` says.
public enum Directedness: Hashable, Sendable {
  /// All lead one way. So it is where the attribute is missing, or says nothing that can be understood.
  case directed
  /// None does: `directed` is false.
  case undirected
  /// `directed` names a boolean field, here by its first name. A relationship in which that is false is
  /// followed both ways, any other one way.
  case field(String)

  /// - Parameters:
  ///   - attribute: the value of `directed`; nil where it was never given.
  ///   - fields: of the collection.
  init(_ attribute: Value?, fields: [FieldSchema]) {
    switch attribute {
    case .boolean(false)?: self = .undirected
    case .text(let name)? where fields.contains { $0.identity == name && $0.type == .boolean }:
      self = .field(name)
    default: self = .directed
    }
  }
}
