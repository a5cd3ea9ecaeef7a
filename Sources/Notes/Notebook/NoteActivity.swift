public import Daybook
import DaybookEventCore
public import Foundation

/// What one event has done to notes and folders: who did what, and when.
public struct NoteActivity: Hashable, Sendable, Identifiable {
  /// What was done.
  public enum Kind: String, CaseIterable, Hashable, Sendable {
    /// A note or folder was added.
    case added
    /// The text of a note was changed.
    case edited
    /// Title, folder, pin, name or place were changed.
    case changed
    /// A tag was added to a note.
    case tagged
    /// A tag was taken from a note.
    case untagged
    /// A note or folder was moved to the trash.
    case deleted
    /// A note or folder was brought back.
    case restored
    /// A note was removed for good.
    case purged
  }

  /// What was done to one note or folder.
  public struct Change: Hashable, Sendable {
    /// What it was done to.
    public enum Subject: Hashable, Sendable {
      /// A note.
      case note(NoteEntity.ID)
      /// A folder.
      case folder(NoteFolder.ID)
    }

    /// What it was done to.
    public var subject: Subject
    /// What was done.
    public var kind: Kind
    /// The tag that was added or taken away; nil for other changes.
    public var tag: String?

    /// Makes a change, for example for a preview or a test.
    /// - Parameters:
    ///   - subject: what it was done to.
    ///   - kind: what was done.
    ///   - tag: the tag; nil for other changes.
    public init(subject: Subject, kind: Kind, tag: String? = nil) {
      self.subject = subject
      self.kind = kind
      self.tag = tag
    }
  }

  /// The event, for `Store.undo` among others.
  public var id: EventID
  /// When it was done, by the clock of the device that did it.
  public var date: Date
  /// Who did it; empty if that is not known.
  public var actor: String
  /// The purpose, in the author's words.
  public var label: String
  /// What was done, in order.
  public var changes: [Change]
}

/// The activity of a notebook, the newest first. It is read from the log of events, page by page;
/// nothing of it is stored a second time.
///
/// ```swift
/// let log = notebook.activity(of: id)
/// let first = try await log.page(limit: 20)
/// for try await activity in log { … }
/// ```
public struct NoteActivityLog: AsyncSequence, Sendable {
  public typealias Element = NoteActivity
  public typealias Failure = any Error

  /// A place in the log, behind one of its activities. It stays valid when there are newer ones.
  public struct Cursor: Hashable, Sendable {
    /// The place of a part of the events; nil for the newest event.
    fileprivate var part: Listing<LoggedEvent>.Cursor?
    /// The number of activities of that part that are before the place.
    fileprivate var passed = 0
  }

  /// A part of the log.
  public struct Page: Sendable {
    /// The activities.
    public var items: [NoteActivity] = []
    /// The place at which the next page begins; nil if there is no more.
    public var next: Cursor?
  }

  let events: Listing<LoggedEvent>
  let kinds: Set<NoteActivity.Kind>
  let subject: NoteActivity.Change.Subject?

  /// The number of events that are read at once.
  private static var partMax: Int { 256 }

  /// Returns the activities behind a place.
  ///
  /// Cost: reads as many events as it takes to find them.
  /// - Parameters:
  ///   - limit: the most activities, at least 1.
  ///   - cursor: ``Page/next`` of the page before; nil for the first page.
  /// - Throws: what reading the log throws.
  public func page(limit: Int, after cursor: Cursor? = nil) async throws -> Page {
    let limit = Swift.max(limit, 1)
    var page = Page()
    var place = cursor ?? Cursor()
    while page.items.count < limit {
      // The first event gives the others a place that stays when newer events come.
      let size = place.part == nil ? 1 : Self.partMax
      let part = try await events.page(limit: size, after: place.part)
      let found = part.items.compactMap(activity).dropFirst(place.passed)
      let taken = found.prefix(limit - page.items.count)
      page.items += taken
      if taken.count < found.count {
        page.next = Cursor(part: place.part, passed: place.passed + taken.count)
        return page
      }
      guard let next = part.next else {
        page.next = nil
        return page
      }
      place = Cursor(part: next)
      page.next = place
    }
    return page
  }

  public func makeAsyncIterator() -> Iterator {
    Iterator(log: self, events: events.makeAsyncIterator())
  }

  /// A loop over the log.
  public struct Iterator: AsyncIteratorProtocol {
    fileprivate let log: NoteActivityLog
    fileprivate var events: Listing<LoggedEvent>.Iterator

    /// Returns the next activity; nil at the end.
    public mutating func next() async throws -> NoteActivity? {
      while let event = try await events.next() {
        if let activity = log.activity(event) { return activity }
      }
      return nil
    }
  }

  private func activity(_ event: LoggedEvent) -> NoteActivity? {
    let changes = event.noteChanges.filter { change in
      kinds.contains(change.kind) && (subject == nil || change.subject == subject)
    }
    guard !changes.isEmpty else { return nil }
    return NoteActivity(
      id: event.id, date: event.date, actor: event.actor, label: event.label, changes: changes)
  }
}

extension Notebook {
  /// Returns what was done to notes and folders, by any device, the newest first.
  ///
  /// Cost: reads the log from its end as far as it is asked for. If one note is given, and no
  /// changes of tags, only what may be about that note is read.
  /// - Parameters:
  ///   - id: the only note; nil for all notes and folders.
  ///   - actor: the only actor; nil for all.
  ///   - kinds: what was done. `[.deleted, .purged]` is the log of deletions.
  ///   - after: only what was done after this position, for example `.time(lastWeek)`.
  public func activity(
    of id: NoteEntity.ID? = nil, by actor: String? = nil,
    kinds: Set<NoteActivity.Kind> = Set(NoteActivity.Kind.allCases), after: Position? = nil
  ) -> NoteActivityLog {
    // Tags are entities of their own, so with them more than the note's events are read.
    let isOfNote = id != nil && kinds.isDisjoint(with: [.tagged, .untagged])
    let query = EventQuery(
      after: after, collection: isOfNote ? NoteEntity.collection : nil,
      id: isOfNote ? id?.rawValue : nil, actor: actor, isNewestFirst: true)
    return NoteActivityLog(
      events: store.events(query), kinds: kinds, subject: id.map { .note($0) })
  }

  /// Returns the log of deletions: what was moved to the trash or removed for good, the newest
  /// first, whether or not it was restored since.
  public func deletions(by actor: String? = nil, after: Position? = nil) -> NoteActivityLog {
    activity(by: actor, kinds: [.deleted, .purged], after: after)
  }
}

extension LoggedEvent {
  /// What the event has done to notes and folders, one change for each and kind.
  fileprivate var noteChanges: [NoteActivity.Change] {
    var changes: [NoteActivity.Change] = []
    for operation in event.body?.operations ?? [] {
      guard let change = operation.noteChange, !changes.contains(change) else { continue }
      changes.append(change)
    }
    return changes
  }
}

extension DaybookEventCore.Operation {
  fileprivate var noteChange: NoteActivity.Change? {
    guard let (collection, id) = entity else { return nil }
    let kind: NoteActivity.Kind
    switch self {
    case .insert: kind = .added
    case .update(_, _, let fields): kind = fields.keys.contains("body") ? .edited : .changed
    case .edit: kind = .edited
    case .delete: kind = .deleted
    case .restore: kind = .restored
    case .erase: kind = .purged
    case .undo: kind = .edited
    case .define, .drop, .stamp, .identity, .unknown: return nil
    }
    switch collection {
    case NoteEntity.collection:
      return NoteActivity.Change(subject: .note(NoteEntity.ID(id)), kind: kind)
    case NoteFolder.collection:
      return NoteActivity.Change(subject: .folder(NoteFolder.ID(id)), kind: kind)
    case NoteTag.collection:
      guard let (note, tag) = NoteTag.parts(of: id) else { return nil }
      let isThere = kind == .added || kind == .restored
      return NoteActivity.Change(
        subject: .note(note), kind: isThere ? .tagged : .untagged, tag: tag)
    default: return nil
    }
  }
}
