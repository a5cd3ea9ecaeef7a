public import DaybookEngine
public import DaybookEventCore
public import DaybookProjections
public import Foundation

extension HybridTime {
  /// The date, to the millisecond: between the years 1970 and 10889, whatever an author claims.
  public var date: Date { Date(milliseconds: milliseconds) }
}

extension Store.EventTimes {
  /// The date of the event: the earlier of ``authoredDate`` and ``stampedDate``, as positions in
  /// time select events.
  public var date: Date { first.date }
  /// The date by the author's clock.
  public var authoredDate: Date { authored.date }
  /// The date by the hub's clock; nil while the event is pending.
  public var stampedDate: Date? { stamped?.date }
}

extension HistoryItem {
  /// The date of the write: the earlier of those at which its event was authored and stamped.
  public var date: Date { times.date }
}

extension LoggedEvent {
  /// The date of the event: the earlier of those at which it was authored and stamped.
  public var date: Date { times.date }
}

extension Conflict.Author {
  /// The date of the write: the earlier of those at which its event was authored and stamped.
  public var date: Date { times.date }
}

extension Store.DeletedEntity {
  /// The date of the deletion: the earlier of those at which its event was authored and stamped.
  public var date: Date { times.date }
}

extension PeerState {
  /// The date of the last successful sync; nil if there was none.
  public var lastSuccessDate: Date? { lastSuccess.map(Date.init(milliseconds:)) }
}

extension Store.Incident {
  /// The date of the latest occurrence.
  public var date: Date { Date(milliseconds: time) }
}

extension Store.Status.ClockAhead {
  /// The date of ``time``.
  public var date: Date { time.date }
}

extension Store.Status.BackupNote {
  /// The date of the backup.
  public var date: Date { Date(milliseconds: time) }
}
