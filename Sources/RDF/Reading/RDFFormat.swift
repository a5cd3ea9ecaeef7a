import DaybookEventCore
import Foundation

/// The formats of RDF that are read and written (RDF 1.1).
public enum RDFFormat: String, CaseIterable, Hashable, Sendable {
  /// Triples with prefixes, lists and brackets; `.ttl`.
  case turtle
  /// Turtle with graphs; `.trig`.
  case trig
  /// One triple a line; `.nt`.
  case ntriples
  /// One triple a line, with its graph; `.nq`.
  case nquads

  /// The usual ending of a file's name, without the dot.
  public var fileEnding: String {
    switch self {
    case .turtle: "ttl"
    case .trig: "trig"
    case .ntriples: "nt"
    case .nquads: "nq"
    }
  }

  /// Makes the format of a file by the ending of its name; nil if the ending is another.
  public init?(fileEnding: String) {
    let ending = fileEnding.lowercased()
    guard let format = Self.allCases.first(where: { $0.fileEnding == ending }) else { return nil }
    self = format
  }

  /// The format's name as people write it.
  public var name: String {
    switch self {
    case .turtle: "Turtle"
    case .trig: "TriG"
    case .ntriples: "N-Triples"
    case .nquads: "N-Quads"
    }
  }

  /// Whether statements can be in graphs other than the default one.
  public var hasGraphs: Bool { self == .trig || self == .nquads }

  /// Whether each statement is a line, without prefixes and relative IRIs.
  var isLines: Bool { self == .ntriples || self == .nquads }
}
