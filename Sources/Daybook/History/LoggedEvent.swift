public import DaybookEventCore
public import DaybookProjections

/// An event of the log, with its times.
public struct LoggedEvent: Hashable, Sendable {
  package var event: Event
  /// The times at which it was authored and, if a hub has it, stamped.
  public internal(set) var times: Store.EventTimes

  /// The id of the event.
  public var id: EventID { event.id }
  /// The actor that ``Store/write(actor:label:annotations:_:)`` was given; empty if the body cannot
  /// be read.
  public var actor: String { event.body?.actor ?? "" }
  /// The label that ``Store/write(actor:label:annotations:_:)`` was given; empty if the body cannot
  /// be read.
  public var label: String { event.body?.label ?? "" }
  /// Facts about the event itself, for example the source of an import.
  public var annotations: [String: String] { event.body?.annotations ?? [:] }
}
