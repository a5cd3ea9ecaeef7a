public import Daybook
import DaybookLocks
public import Foundation

/// The notes of one person or group: a store on this device, and a shared folder that other devices
/// sync with.
///
/// ```swift
/// let notebook = try await Notebook.open(at: url, actor: "ann")
/// try await notebook.share(in: sharedFolder)
/// let id = try await notebook.add("Shopping\nOat milk")
/// for try await notes in notebook.notes(in: .top) { show(notes) }
/// ```
/// All lists are read from the database of the store, and no call waits for the shared folder. A
/// notebook can be used from every task. Several notebooks are a ``NoteShelf``.
public final class Notebook: Sendable {
  /// The options of a notebook.
  public struct Options: Sendable {
    /// Types of the app's own that its store has as well.
    public var schema: [any Entity.Type] = []
    /// How the store is opened.
    public var store = Store.Options()
    /// How the notebook syncs with its shared folder.
    public var sharing = NoteSync.Options()

    /// Makes the usual options.
    public init() {}
  }

  /// The store, for all that Daybook offers: queries, history, undo, the past.
  public let store: Store
  /// Who writes.
  public let actor: String
  private let options: Options
  private let shared = Mutex<NoteSync?>(nil)

  private init(_ store: Store, _ actor: String, _ options: Options) {
    self.store = store
    self.actor = actor
    self.options = options
  }

  /// The types of a notebook, for a store that an app opens itself.
  public static let schema: [any Entity.Type] = [
    NoteFolder.self, NoteEntity.self, NoteTag.self, ImportStep.self, NoteCopy.self,
    FolderCopy.self,
  ]

  /// Opens a notebook, and makes it if there is none.
  /// - Parameters:
  ///   - url: the folder of the store, on this device. It is not the shared folder.
  ///   - actor: who writes, for the history.
  ///   - options: the options.
  /// - Throws: `StoreError`, as for every store.
  public static func open(
    at url: URL, actor: String = "", options: Options = Options()
  ) async throws -> Notebook {
    let store = try await Store.open(
      at: url, schema: schema + options.schema, options: options.store)
    return Notebook(store, actor, options)
  }

  /// Makes a notebook that is gone when it is closed, for previews and tests.
  public static func inMemory(
    actor: String = "", options: Options = Options()
  ) async throws -> Notebook {
    let store = try await Store.inMemory(schema: schema + options.schema, options: options.store)
    return Notebook(store, actor, options)
  }

  /// Stops the sync and closes the store. The notebook must not be used afterwards.
  public func close() async throws {
    await stopSharing()
    try await store.close()
  }

  // MARK: - Sharing

  /// The sync with the shared folder; nil if there is none.
  public var sync: NoteSync? { shared.withLock(\.self) }

  /// Begins to sync with a shared folder, in the background. What is written here goes to the
  /// folder, and what comes there is taken in, until the notebook is closed.
  /// - Parameter folder: the folder in iCloud Drive, Dropbox or Syncthing, the same for all devices
  ///   that share the notebook.
  /// - Returns: the sync, with its progress.
  /// - Throws: ``NotesError`` `alreadyShared` if the notebook syncs with a folder already. Problems
  ///   of the folder are no errors here; they are part of the progress, and end with their cause.
  @discardableResult
  public func share(in folder: URL) throws -> NoteSync {
    try shared.withLock { shared in
      if let shared {
        throw NotesError(
          .alreadyShared, "the notebook syncs with “\(shared.folder.path(percentEncoded: false))”",
          hint: "Call stopSharing() first, or open another notebook for the other folder")
      }
      let sync = NoteSync(store, folder, options.sharing)
      shared = sync
      return sync
    }
  }

  /// Ends the sync with the shared folder, and waits for work in progress. What waits to be sent is
  /// sent after the next ``share(in:)``.
  public func stopSharing() async {
    let sync = shared.withLock { shared in
      defer { shared = nil }
      return shared
    }
    await sync?.stop()
  }

  /// Writes one event as the notebook's ``actor``; see `Store.write`.
  /// - Parameters:
  ///   - label: the purpose of the write, in words.
  ///   - body: the transaction.
  @discardableResult
  public func write<T: Sendable>(
    label: String = "", _ body: @escaping @Sendable (WriteTransaction) throws -> T
  ) async throws -> T {
    try await store.write(actor: actor.isEmpty ? nil : actor, label: label, body)
  }
}
