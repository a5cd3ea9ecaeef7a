import DaybookEventCore

/// Which relationships of a collection lead one way, and which are followed both ways, as its
/// attribute `directed` says.
public enum Directedness: Hashable, Sendable {
  /// All lead one way. The default, if the attribute is missing or cannot be understood.
  case directed
  /// All are followed both ways: `directed` is false.
  case undirected
  /// `directed` names a boolean field, given here by its first name. A relationship is followed
  /// both ways if the field is false in it, and one way otherwise.
  case field(String)

  /// - Parameters:
  ///   - attribute: the value of `directed`; nil if it was never given.
  ///   - fields: the collection's fields.
  init(_ attribute: Value?, fields: [FieldSchema]) {
    switch attribute {
    case .boolean(false)?: self = .undirected
    case .text(let name)? where fields.contains { $0.identity == name && $0.type == .boolean }:
      self = .field(name)
    default: self = .directed
    }
  }
}
