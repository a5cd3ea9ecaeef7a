public import DaybookEngine
public import DaybookTexts

/// A text in an editor: its keystrokes take effect at once, and are written in the background as
/// edits that merge with what others write.
///
/// ```swift
/// let session = try await store.editingSession(note.id, text: \.body)
/// try session.insert("oat ", at: 4)          // from the editor; waits for nothing
/// for await change in session.changes {      // what others have written
///   for part in change.replacements.reversed() { view.replace(part.utf16, with: part.text) }
///   view.caret = change.position(ofUTF16: view.caret)
/// }
/// try await session.close()                  // all that was typed is durable
/// ```
/// Keystrokes are gathered, and become one event after a pause, when they are many, or after a
/// while; see ``Options``. A crash loses what is ``EditingSession/State/unsaved``, and nothing
/// else.
///
/// What others write does not change ``text`` by itself: it does when the loop over ``changes``
/// takes it, so that a place that the editor names always means the text that the editor shows. Run
/// the loop on the actor that the editor calls the session from, such as the main actor.
///
/// Any number of sessions, transactions and processes may edit one text.
public final class EditingSession: Sendable {
  /// When the keystrokes of a session become an event, and whose event it is.
  public struct Options: Sendable {
    /// The pause after the last keystroke after which what was typed is written.
    public var pause = Duration.seconds(1)
    /// The longest time from a keystroke until it is written, however fast more follow.
    public var intervalMax = Duration.seconds(5)
    /// The number of edits that are written without a pause.
    public var editsMax = 500
    /// The number of inserted bytes, in UTF-8, that are written without a pause.
    public var bytesMax = 64 << 10
    /// The actor of the events; that of the store if nil.
    public var actor: String?
    /// The purpose of the events, in words.
    public var label = ""
    /// The clock that measures pauses.
    public var clock: any Clock<Duration> = ContinuousClock()

    /// Makes options. Those without a parameter are set afterwards.
    /// - Parameters:
    ///   - actor: the actor of the events; that of the store if nil.
    ///   - label: the purpose of the events, in words.
    public init(actor: String? = nil, label: String = "") {
      self.actor = actor
      self.label = label
    }
  }

  private let engine: EditingEngine

  init(_ engine: EditingEngine) { self.engine = engine }

  deinit { engine.release() }

  /// The text with all that was typed, and with what the loop over ``changes`` has taken.
  public var text: String { engine.text }

  /// What is durable, what is not, and what stands against it.
  public var state: EditingSession.State { engine.status }

  /// The state: now, and after each change.
  ///
  /// A slow loop gets the newest state only. The states end with ``close()``, or with the store.
  public var states: AsyncStream<EditingSession.State> { engine.states }

  /// What others have written, in terms of the session's own text.
  ///
  /// The session's text changes when an element is taken, and the loop's body runs before any other
  /// code of its actor. What comes while nothing takes it is delivered as one. Use one loop at a
  /// time; of several, each gets a part. The changes end with ``close()``, or with the store.
  public var changes: Changes { Changes(engine: engine) }

  // MARK: - Editing

  /// Changes the text, in scalars, UTF-16 code units or indexes.
  ///
  /// ```swift
  /// try session.edit { text in
  ///   try text.insert("**", atUTF16: selection.upperBound)
  ///   try text.insert("**", atUTF16: selection.lowerBound)
  /// }
  /// ```
  /// Cost: a copy of the text, and what `change` costs.
  /// - Parameter change: changes the text that it is given; called again if another thread has
  ///   changed the text meanwhile.
  /// - Throws: what `change` throws; ``StoreError`` `closed`, or `tooLarge` if it inserts more than
  ///   an event can hold, 16 MiB. Nothing has changed then.
  public func edit(_ change: (inout EditableText) throws -> Void) throws {
    while true {
      let (text, version) = engine.snapshot
      var editable = EditableText(text)
      try change(&editable)
      let script = editable.script
      let isDone = try engine.edit(inserting: script.insertedBytes, version: version) {
        text throws(StoreError) in
        try text.apply(script)
      }
      if isDone { return }
    }
  }

  /// Changes the text by a script.
  /// - Throws: ``StoreError`` `invalidEdit` if the text is too short for it; `closed`; `tooLarge`
  ///   if it inserts more than an event can hold, 16 MiB.
  public func apply(_ script: TextScript) throws(StoreError) {
    try engine.edit(inserting: script.insertedBytes) { text throws(StoreError) in
      try text.apply(script)
    }
  }

  /// Inserts text.
  /// - Parameters:
  ///   - new: the text to insert.
  ///   - position: the number of Unicode scalars before it.
  /// - Throws: as ``replace(_:with:)``.
  public func insert(_ new: String, at position: Int) throws(StoreError) {
    try replace(position..<position, with: new)
  }

  /// Deletes a range of Unicode scalars.
  /// - Throws: as ``replace(_:with:)``.
  public func delete(_ range: Range<Int>) throws(StoreError) { try replace(range, with: "") }

  /// Replaces a range of Unicode scalars.
  ///
  /// Cost: a pass over the text, and none of the disk.
  /// - Throws: ``StoreError`` `invalidEdit` if the range is not in the text; `closed`; `tooLarge`
  ///   if an event cannot hold the new text, which has 16 MiB. Nothing has changed then.
  public func replace(_ range: Range<Int>, with new: String) throws(StoreError) {
    try engine.edit(inserting: new.utf8.count) { text throws(StoreError) in
      try text.replace(range, with: new)
    }
  }

  /// Inserts text.
  /// - Parameters:
  ///   - new: the text to insert.
  ///   - offset: the number of UTF-16 code units before it.
  /// - Throws: as ``replace(utf16:with:)``.
  public func insert(_ new: String, atUTF16 offset: Int) throws(StoreError) {
    try replace(utf16: offset..<offset, with: new)
  }

  /// Deletes a range of UTF-16 code units.
  /// - Throws: as ``replace(utf16:with:)``.
  public func delete(utf16 range: Range<Int>) throws(StoreError) {
    try replace(utf16: range, with: "")
  }

  /// Replaces a range of UTF-16 code units, as editors of Apple's systems and web pages count.
  ///
  /// - Throws: ``StoreError`` `invalidEdit` if the range is not in the text, or cuts a surrogate
  ///   pair; else as ``replace(_:with:)``.
  public func replace(utf16 range: Range<Int>, with new: String) throws(StoreError) {
    try engine.edit(inserting: new.utf8.count) { text throws(StoreError) in
      try text.replace(utf16: range, with: new)
    }
  }

  // MARK: - Writing

  /// Writes what was typed, for example when the editor loses the focus or the app leaves the
  /// foreground. What was typed before the call is durable when it returns.
  /// - Throws: ``StoreError``, which is also in ``state``, if the text cannot be written now;
  ///   `noSuchEntity` if the entity was deleted meanwhile. What was typed is kept, and the session
  ///   tries again.
  public func flush() async throws { try await engine.flush() }

  /// Writes what was typed, and ends the session.
  ///
  /// A session that is released without this call writes what was typed, too, but cannot say if it
  /// fails.
  /// - Throws: as ``flush()``. The session goes on then.
  public func close() async throws { try await engine.close() }

  /// What others write in the text of a session; see ``EditingSession/changes``.
  public struct Changes: AsyncSequence, Sendable {
    public typealias Element = TextChange
    public typealias Failure = Never

    fileprivate let engine: EditingEngine

    public func makeAsyncIterator() -> Iterator { Iterator(engine) }

    /// A loop over the changes.
    public struct Iterator: AsyncIteratorProtocol {
      private let listener: Listener

      fileprivate init(_ engine: EditingEngine) { listener = Listener(engine) }

      /// Waits for the next change, and returns it; nil if the session or the task has ended.
      ///
      /// The caller's actor goes on with the change at once.
      public mutating func next() async -> TextChange? { await next(isolation: #isolation) }

      /// Waits for the next change, and returns it; nil if the session or the task has ended.
      ///
      /// A loop calls this one. Without it, Swift's own would call ``next()`` on no actor: the
      /// session would have the change before the caller's actor goes on with it.
      /// - Parameter actor: the caller's actor, which goes on with the change at once.
      public mutating func next(isolation actor: isolated (any Actor)?) async -> TextChange? {
        while await listener.next() {
          if let change = listener.engine.take() { return change }
        }
        // What has come before the end is delivered.
        return Task.isCancelled ? nil : listener.engine.take()
      }
    }

    private final class Listener: Sendable {
      let engine: EditingEngine
      private let wakes: StreamReader<AsyncStream<Void>.Iterator>

      init(_ engine: EditingEngine) {
        self.engine = engine
        wakes = StreamReader(engine.news)
      }

      func next() async -> Bool { (try? await wakes.next()) != nil }
    }
  }
}

extension Store {
  /// Begins to edit a text as an editor does: without waiting for the disk.
  ///
  /// ```swift
  /// let session = try await store.editingSession("notes", "n1", text: "body")
  /// try session.insert("oat ", at: 4)
  /// ```
  /// Cost: a read of the entity; while the session is open, one for each change by others.
  /// - Parameters:
  ///   - collection: the collection.
  ///   - id: the id of a live entity.
  ///   - field: the name of a text field. A field that has no text yet is edited as the empty text.
  ///   - options: when keystrokes become an event, and whose.
  /// - Returns: the session, to be ended by ``EditingSession/close()``.
  /// - Throws: ``StoreError`` `unknownName`; `wrongType` if the field is no text field;
  ///   `noSuchEntity` if the entity is not live, or if the field holds a value that is no text;
  ///   `readOnly`; `closed`.
  public func editingSession(
    _ collection: String, _ id: String, text field: String,
    options: EditingSession.Options = EditingSession.Options()
  ) async throws -> EditingSession {
    try await editingSession(TextField(collection, id, field), options)
  }

  /// Begins to edit a text as an editor does: without waiting for the disk.
  ///
  /// ```swift
  /// let session = try await store.editingSession(note.id, text: \.body)
  /// ```
  /// - Parameters:
  ///   - id: the id of a live entity.
  ///   - property: a text property.
  ///   - options: when keystrokes become an event, and whose.
  /// - Returns: the session; see ``editingSession(_:_:text:options:)``.
  /// - Throws: ``StoreError`` as that call.
  public func editingSession<E: Entity>(
    _ id: EntityID<E>, text property: KeyPath<E, String>,
    options: EditingSession.Options = EditingSession.Options()
  ) async throws -> EditingSession {
    try await editingSession(try TextField(id, property), options)
  }

  private func editingSession(
    _ field: TextField, _ options: EditingSession.Options
  ) async throws -> EditingSession {
    guard !self.options.isReadOnly else { throw core.refusal }
    let shown = try await core.reads.asynchronously { try field.shown(in: $0.view) }
    guard let shown else { throw field.missing }
    let engine = EditingEngine(self, field, options, shown)
    editing.add(engine)
    return EditingSession(engine)
  }
}
