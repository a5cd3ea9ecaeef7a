public import DaybookEngine
public import DaybookEventCore
import DaybookProjections
public import Foundation

/// A moment of a store's history.
public enum Position: Hashable, Sendable {
  /// This event, with all events that its author had seen.
  ///
  /// Of local collections, the position has the events whose author had seen nothing beyond that.
  case event(EventID)
  /// The events of this vector.
  ///
  /// If the vector names no private origin, the position also has the events of local collections
  /// whose author had seen nothing beyond it.
  case vector(VersionVector)
  /// The events that were authored or stamped at or before this moment, in milliseconds since 1970.
  case time(Int64)

  /// Returns the position of a date: the events that were authored or stamped at or before it, to
  /// the millisecond.
  public static func time(_ date: Date) -> Position {
    .time(date.milliseconds)
  }
}

extension Store {
  /// Reads a position from a text in one of three forms.
  ///
  /// - A time in ISO 8601; without a zone it is UTC, and a date alone is its last moment.
  /// - An event, `ORIGIN:SEQUENCE`, with at least four digits of the origin, enough to tell it from
  ///   others.
  /// - A version vector as JSON, `{"ORIGIN":SEQUENCE,…}`.
  /// - Throws: ``StoreError`` `invalidPosition`.
  public func position(_ text: String) async throws -> Position {
    let parsed = try Position.Parsed(text)
    switch parsed {
    case .time(let milliseconds): return .time(milliseconds)
    case .event(let prefix, let sequence):
      return .event(EventID(try await origin(prefix), sequence))
    case .vector(let entries):
      var vector = VersionVector()
      for (prefix, sequence) in entries { vector.include(try await origin(prefix), sequence) }
      return .vector(vector)
    }
  }

  /// Returns the one known origin whose id begins with `prefix`.
  private func origin(_ prefix: String) async throws -> ReplicaID {
    if let id = ReplicaID(prefix) { return id }
    let known = try await core.reads.asynchronously {
      try $0.view.wholeVector.entries.map(\.origin)
    }
    let found = known.filter { $0.description.begins(with: prefix) }
    guard found.count == 1, let id = found.first else {
      throw StoreError(
        .invalidPosition,
        found.isEmpty
          ? "no origin begins with “\(prefix)”" : "\(found.count) origins begin with “\(prefix)”",
        hint: "`evtool digest` lists the origins")
    }
    return id
  }

  /// Returns the selection of events that a position means, all of which must be known here.
  ///
  /// A state without some of them would be another state.
  /// - Throws: ``StoreError`` `invalidPosition`.
  func known(_ position: Position) async throws -> Selection {
    try await requireKnown(try await selection(position))
  }

  func requireKnown(_ selection: Selection) async throws -> Selection {
    guard case .vector(let vector) = selection else { return selection }
    let here = try await core.reads.asynchronously { try $0.view.wholeVector }
    for (origin, sequence) in vector.entries where sequence > here[origin] {
      throw StoreError(
        .invalidPosition, "event \(EventID(origin, sequence)) is not known here",
        hint: "`evtool digest` shows what is")
    }
    return selection
  }

  /// Returns the selection of events that a position means, whether or not they are known here.
  func selection(_ position: Position) async throws -> Selection {
    if case .time(let milliseconds) = position { return .time(milliseconds) }
    return try await core.reads.asynchronously { try position.selection(in: $0.view) }
  }
}

extension Position {
  /// Returns the selection of events that the position means, whether or not they are known.
  func selection(in view: ReadModelView) throws -> Selection {
    switch self {
    case .vector(let vector): return .vector(try view.completed(vector))
    case .time(let milliseconds): return .time(milliseconds)
    case .event(let event):
      let vector = try view.vector(at: event)
      // The context of a private event says which events of its own origin come before it.
      return .vector(event.origin.isPrivate ? vector : try view.completed(vector))
    }
  }
}

extension Position {
  /// A position that was parsed from text. Origins may be abbreviated, and are not looked up yet.
  ///
  /// Parsing is pure and total: any text is a position or an error.
  public enum Parsed: Hashable, Sendable {
    /// A moment, in milliseconds since 1970; a date without a time is its end.
    case time(Int64)
    /// An event, with the beginning of its origin's id.
    case event(origin: String, sequence: UInt64)
    /// A version vector, with the beginnings of the origins' ids.
    case vector([String: UInt64])

    /// Parses a position.
    /// - Parameter text: a time like `2026-11-21T09:30:00Z` or `2026-11-21`, an event like
    ///   `3f2a:17`, or a version vector like `{"3f2a":17}`.
    /// - Throws: ``StoreError`` `invalidPosition` if the text is none of these.
    public init(_ text: String) throws(StoreError) {
      if text.begins(with: "{") {
        self = .vector(try Self.entries(text))
      } else if text.utf8.count == 10, let day = Timestamp.milliseconds(text) {
        self = .time(day + 86_399_999)
      } else if let milliseconds = Timestamp.milliseconds(text) {
        self = .time(milliseconds)
      } else {
        let parts = text.parts(between: ":")
        guard parts.count == 2, let sequence = UInt64(parts[1]), sequence > 0,
          Self.isOrigin(parts[0])
        else { throw Self.invalid(text) }
        self = .event(origin: String(parts[0]), sequence: sequence)
      }
    }

    /// Parses `{"origin":sequence,…}`.
    ///
    /// Origins and numbers need no escapes, so none are understood.
    private static func entries(_ text: String) throws(StoreError) -> [String: UInt64] {
      guard let body = text.words.joined().rest(after: "{")?.rest(before: "}") else {
        throw invalid(text)
      }
      var entries: [String: UInt64] = [:]
      guard !body.isEmpty else { return entries }
      for pair in body.parts(between: ",") {
        let parts = pair.parts(between: ":")
        guard parts.count == 2, let sequence = UInt64(parts[1]),
          let origin = parts[0].rest(after: "\"")?.rest(before: "\""), isOrigin(origin),
          entries.updateValue(sequence, forKey: String(origin)) == nil
        else { throw invalid(text) }
      }
      return entries
    }

    private static func isOrigin(_ text: Substring) -> Bool {
      (4...32).contains(text.utf8.count)
        && text.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
    }

    private static func invalid(_ text: String) -> StoreError {
      StoreError(
        .invalidPosition, "“\(text.cut(to: 80))” is no position",
        hint:
          "Give a time like 2026-11-21T09:30:00Z, an event like 3f2a:17, or a version vector as "
          + "`evtool digest --json` prints it")
    }
  }
}
