public import Daybook
import DaybookEngine
import DaybookLocks
public import Foundation

/// Several notebooks in one app, each with its own shared folder, and one list of all their notes.
///
/// ```swift
/// let shelf = NoteShelf(at: folder, actor: "ann")
/// let home = try await shelf.open("home", sharing: homeFolder)
/// let work = try await shelf.open("work", sharing: workFolder)
/// for try await notes in shelf.notes() { show(notes) }
/// ```
/// Nothing of one notebook gets into the folder of another.
public final class NoteShelf: Sendable {
  private struct State {
    var notebooks: [String: Notebook] = [:]
    /// The names that are being opened.
    var opening: Set<String> = []
  }

  private let folder: URL
  private let actor: String
  private let options: Notebook.Options
  private let state = Mutex(State())
  private let loops = Broadcast<[String: Notebook]>()

  /// Makes an empty shelf.
  /// - Parameters:
  ///   - folder: the folder for the stores of the notebooks, on this device.
  ///   - actor: the name of the person who writes, for histories.
  ///   - options: the options of each notebook.
  public init(at folder: URL, actor: String = "", options: Notebook.Options = Notebook.Options()) {
    self.folder = folder
    self.actor = actor
    self.options = options
  }

  /// The notebooks that are open, by name.
  public var notebooks: [String: Notebook] { state.withLock { $0.notebooks } }

  /// Opens a notebook, and makes it if there is none.
  /// - Parameters:
  ///   - name: the name of the notebook, and of its store's folder.
  ///   - sharedFolder: the folder that it syncs with; nil for none.
  /// - Throws: ``NotesError`` `alreadyOpen` if it is open; `StoreError`.
  @discardableResult
  public func open(_ name: String, sharing sharedFolder: URL? = nil) async throws -> Notebook {
    let isNew = state.withLock { state in
      state.notebooks[name] == nil && state.opening.insert(name).inserted
    }
    guard isNew else {
      throw NotesError(
        .alreadyOpen, "the notebook “\(name)” is open", hint: "Use the one in notebooks")
    }
    defer { state.withLock { _ = $0.opening.remove(name) } }
    let notebook = try await Notebook.open(
      at: folder.appending(path: name), actor: actor, options: options)
    if let sharedFolder { try notebook.share(in: sharedFolder) }
    change { $0.notebooks[name] = notebook }
    return notebook
  }

  /// Closes a notebook. Its notes leave the lists; nothing is deleted.
  /// - Throws: ``NotesError`` `noSuchNotebook`; `StoreError`.
  public func close(_ name: String) async throws {
    guard let notebook = notebooks[name] else {
      throw NotesError(.noSuchNotebook, "no notebook “\(name)” is open")
    }
    change { $0.notebooks[name] = nil }
    try await notebook.close()
  }

  /// Closes all notebooks, and ends the lists.
  public func close() async throws {
    for name in notebooks.keys.sorted() { try await close(name) }
    loops.endLoops()
  }

  private func change(_ body: (inout State) -> Void) {
    state.withLock { body(&$0) }
    loops.send(notebooks)
  }

  /// The notebooks that are open: now, and after each change.
  private func changes() -> AsyncStream<[String: Notebook]> {
    loops.values { notebooks }
  }

  // MARK: - Lists

  /// The notes of all notebooks in one list: now, and after every change, also of which notebooks
  /// are open. Pinned notes come first, and among them and the others those that were written to
  /// last.
  /// - Parameters:
  ///   - filter: which notes of each notebook. A folder is in one notebook only.
  ///   - limit: the most notes; nil for all.
  public func notes(in filter: NoteFilter = .all, limit: Int? = nil) -> ShelvedNotes {
    ShelvedNotes(notebooks: changes, filter: filter, limit: limit)
  }
}

/// A note, and the notebook that it is in.
public struct ShelvedNote: Hashable, Sendable, Identifiable {
  /// What tells a note from those of other notebooks.
  public struct ID: Hashable, Sendable {
    /// The name of the notebook.
    public var notebook: String
    /// The id of the note.
    public var note: NoteEntity.ID
  }

  /// The name of the notebook.
  public var notebook: String
  /// The note.
  public var summary: NoteSummary

  /// The ids of notebook and note.
  public var id: ID { ID(notebook: notebook, note: summary.id) }
}

/// The notes of several notebooks in one list; see ``NoteShelf/notes(in:limit:)``.
///
/// A loop ends when its task is cancelled or the shelf is closed. A slow loop gets the newest list
/// only.
public struct ShelvedNotes: AsyncSequence, Sendable {
  public typealias Element = [ShelvedNote]
  public typealias Failure = any Error

  let notebooks: @Sendable () -> AsyncStream<[String: Notebook]>
  let filter: NoteFilter
  let limit: Int?

  /// A loop over the lists.
  public struct Iterator: AsyncIteratorProtocol {
    fileprivate let lists: StreamReader<AsyncThrowingStream<[ShelvedNote], any Error>.Iterator>

    /// Waits for the next list, and returns it; nil at the end.
    public mutating func next() async throws -> [ShelvedNote]? { try await lists.next() }
  }

  public func makeAsyncIterator() -> Iterator {
    let (notebooks, filter, limit) = (notebooks(), filter, limit)
    let (lists, continuation) = AsyncThrowingStream.makeStream(
      of: [ShelvedNote].self, bufferingPolicy: .bufferingNewest(1))
    let merging = Merging(limit: limit, continuation)
    let task = Task {
      var readers: [String: Task<Void, Never>] = [:]
      for await open in notebooks {
        for (name, reader) in readers where open[name] == nil {
          reader.cancel()
          readers[name] = nil
        }
        merging.keep(Set(open.keys))
        for (name, notebook) in open where readers[name] == nil {
          let list = notebook.notes(in: filter, limit: limit)
          readers[name] = Task {
            do {
              for try await notes in list { merging.take(notes, of: name) }
            } catch { merging.end(error) }
          }
        }
      }
      for reader in readers.values { reader.cancel() }
      merging.end(nil)
    }
    continuation.onTermination = { _ in task.cancel() }
    return Iterator(lists: StreamReader(lists))
  }
}

/// The lists of several notebooks, from which one is made after each change.
private final class Merging: Sendable {
  private struct State {
    var open: Set<String> = []
    var lists: [String: [NoteSummary]] = [:]
  }

  private let limit: Int?
  private let continuation: AsyncThrowingStream<[ShelvedNote], any Error>.Continuation
  private let state = Mutex(State())
  private let loops = Broadcast<[String: Notebook]>()

  init(limit: Int?, _ continuation: AsyncThrowingStream<[ShelvedNote], any Error>.Continuation) {
    self.limit = limit
    self.continuation = continuation
  }

  func keep(_ names: Set<String>) {
    change { state in
      state.open = names
      state.lists = state.lists.filter { names.contains($0.key) }
    }
  }

  func take(_ notes: [NoteSummary], of name: String) {
    change { state in if state.open.contains(name) { state.lists[name] = notes } }
  }

  func end(_ error: (any Error)?) { continuation.finish(throwing: error) }

  private func change(_ body: (inout State) -> Void) {
    // The lock is kept, so that lists are delivered in the order in which they were made.
    state.withLock { state in
      body(&state)
      // A list without some of the notebooks would look as if their notes were gone.
      guard state.open.isSubset(of: state.lists.keys) else { return }
      let all = state.lists.flatMap { name, notes in
        notes.map { ShelvedNote(notebook: name, summary: $0) }
      }
      let sorted = all.sorted { a, b in
        if a.summary.isPinned != b.summary.isPinned { return a.summary.isPinned }
        if a.summary.modified != b.summary.modified {
          return a.summary.modified > b.summary.modified
        }
        if a.summary.id != b.summary.id { return a.summary.id > b.summary.id }
        return a.notebook < b.notebook
      }
      continuation.yield(limit.map { Array(sorted.prefix($0)) } ?? sorted)
    }
  }
}
