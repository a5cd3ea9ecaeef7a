import DaybookEngine
import DaybookEventCore
import DaybookLocks
import DaybookProjections
import DaybookReplication
import DaybookTexts

/// What an editing session consists of: its text, the task that writes it, and who listens.
///
/// It lives until all edits are written or the store is closed, also if the session is released.
final class EditingEngine: Sendable {
  private struct State {
    var buffer: EditingBuffer
    var status = EditingSession.State()
    /// The state that listeners know.
    var published = EditingSession.State()
    /// The number of the last edit that is to be written now.
    var due = 0
    /// Whether the store may show another text by now.
    var mayHaveNews = false
    var schedule: EditingSchedule
    var hasTimer = false
    /// Whether the session takes no more edits.
    var isEnding = false
    /// Whether it ends when all is written.
    var isReleased = false
    var isEnded = false
    var waiting: [(through: Int, continuation: CheckedContinuation<Void, any Error>)] = []
  }

  let store: Store
  let field: TextField
  let options: EditingSession.Options
  private let clock: EditingClock
  private let state: Mutex<State>
  private let wake: AsyncStream<Void>.Continuation
  /// Tells loops that there may be something to take.
  private let newsLoops = Broadcast<Void>()
  private let stateLoops = Broadcast<EditingSession.State>()
  private let token: Mutex<Int?> = Mutex(nil)

  /// The number of times that a write is tried while others write the same text.
  private static let attemptsMax = 100

  /// - Parameter shown: the text that the store shows.
  init(_ store: Store, _ field: TextField, _ options: EditingSession.Options, _ shown: ShownText) {
    self.store = store
    self.field = field
    self.options = options
    clock = EditingClock(options.clock)
    state = Mutex(
      State(
        buffer: EditingBuffer(
          shown, edits: max(1, options.editsMax), bytes: max(1, options.bytesMax)),
        schedule: EditingSchedule(options)))
    let (wakes, wake) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    self.wake = wake
    let token = store.core.listen(
      to: field.scope, { [weak self] in self?.storeChanged() },
      end: { [weak self] in self?.storeClosed() })
    self.token.withLock { $0 = token }
    // What was written between the reading of the text and now is looked at once.
    state.withLock { $0.mayHaveNews = true }
    wake.yield()
    Task { [self] in
      for await _ in wakes {
        await work()
        if state.withLock({ $0.isEnded }) { break }
      }
    }
  }

  // MARK: - The editor

  var text: String { state.withLock { $0.buffer.text } }
  var status: EditingSession.State { state.withLock { $0.status } }

  /// Returns the session's text, and a number that changes with it.
  var snapshot: (text: String, version: Int) {
    state.withLock { ($0.buffer.text, $0.buffer.version) }
  }

  /// Changes the session's text.
  /// - Parameters:
  ///   - bytes: the UTF-8 bytes that `change` inserts.
  ///   - version: the version that the text must have; nil for any.
  /// - Returns: false if the text has another version.
  @discardableResult
  func edit(
    inserting bytes: Int, version: Int? = nil,
    _ change: (inout EditableText) throws(StoreError) -> Void
  ) throws(StoreError) -> Bool {
    guard bytes <= EditingBuffer.bytesMax else {
      throw StoreError(
        .tooLarge,
        "the edit inserts \(bytes) bytes, and an event has room for \(EditingBuffer.bytesMax)",
        hint: "Insert the text in parts")
    }
    return try state.withLock { state throws(StoreError) in
      try requireOpen(state)
      guard version == nil || version == state.buffer.version else { return false }
      let hadUnsaved = state.buffer.unsaved > 0
      let typed = state.buffer.typed
      try state.buffer.edit(inserting: bytes, change)
      guard state.buffer.typed > typed else { return true }
      state.schedule.noteEdit(at: clock.now(), isFirst: !hadUnsaved)
      if state.buffer.isFull, !state.schedule.isRepeating {
        state.due = state.buffer.typed
        wake.yield()
      }
      startTimer(&state)
      publish(&state)
      return true
    }
  }

  private func requireOpen(_ state: State) throws(StoreError) {
    guard !state.isEnding else {
      throw StoreError(
        .closed, "the editing session is closed", hint: "Begin another one in an open store")
    }
  }

  /// Returns what others have written since, and changes the session's text by it.
  func take() -> TextChange? { state.withLock { $0.buffer.take() } }

  // MARK: - Writing

  /// Writes all edits so far.
  func flush() async throws {
    try await withCheckedThrowingContinuation {
      (continuation: CheckedContinuation<Void, any Error>) in
      state.withLock { state in
        guard state.buffer.unsaved > 0 else { return continuation.resume() }
        guard !state.isEnded else {
          return continuation.resume(throwing: state.status.problem ?? store.core.refusal)
        }
        state.due = state.buffer.typed
        state.waiting.append((state.due, continuation))
        wake.yield()
      }
    }
  }

  /// Writes all edits, and takes no more.
  /// - Throws: what stands against the writing. The session goes on then.
  func close() async throws {
    state.withLock { $0.isEnding = true }
    do { try await flush() } catch {
      state.withLock { $0.isEnding = $0.isEnded }
      throw error
    }
    end()
  }

  /// Writes all edits and ends then, when nothing refers to the session any more.
  func release() {
    state.withLock { state in
      guard !state.isEnded else { return }
      state.isEnding = true
      state.isReleased = true
      state.due = state.buffer.typed
      wake.yield()
    }
  }

  private func storeChanged() {
    state.withLock { $0.mayHaveNews = true }
    wake.yield()
  }

  private func storeClosed() {
    state.withLock { state in
      guard !state.isEnded, state.buffer.unsaved > 0 else { return }
      state.status.problem = StoreError(
        .closed, "the store is closed, and \(state.buffer.unsaved) edits are not written",
        hint: "Read the session's text, and write it when the store is open again")
    }
    end()
  }

  private func end() {
    state.withLock { state in
      guard !state.isEnded else { return }
      state.isEnding = true
      state.isEnded = true
      fail(&state, state.status.problem ?? store.core.refusal)
      publish(&state)
    }
    newsLoops.close()
    stateLoops.close()
    wake.finish()
    if let token = token.withLock({ $0 }) { store.core.changes.forget(token) }
    store.editing.forget(self)
  }

  /// Reads what others have written, and writes what is due.
  private func work() async {
    var attempts = 0
    while true {
      let (mayHaveNews, isDue) = state.withLock { state in
        defer { state.mayHaveNews = false }
        return (state.mayHaveNews, !state.isEnded && state.due > state.buffer.written)
      }
      guard mayHaveNews || isDue else { break }
      do {
        // The transaction looks whether the text is the one that was read last.
        if mayHaveNews || attempts > 0 { try await read() }
        guard isDue else { continue }
        attempts = try await write() ? 0 : attempts + 1
        guard attempts < Self.attemptsMax else {
          throw StoreError(
            .locked, "others keep writing the text of “\(field.id)” in \(field.collection)",
            hint: "The session tries again")
        }
      } catch {
        note(error)
        break
      }
    }
    if state.withLock({ $0.isReleased && $0.buffer.unsaved == 0 }) { end() }
  }

  private func read() async throws {
    let field = field
    let known = state.withLock { $0.buffer.known }
    let news = try await store.core.reads.asynchronously {
      try TextNews($0.view, field, since: known)
    }
    state.withLock { state in
      let wasMissing = state.buffer.isMissing
      if state.buffer.unsaved == 0 { state.schedule.forgetFailures() }
      state.buffer.note(news)
      if state.buffer.hasNews { newsLoops.send(()) }
      guard state.buffer.isMissing != wasMissing else { return }
      // What was typed meanwhile is written when there is a text again.
      state.status.problem = state.buffer.isMissing ? field.missing : nil
      if wasMissing, state.buffer.unsaved > 0 { state.due = state.buffer.typed }
      publish(&state)
    }
  }

  /// Writes the first batch.
  /// - Returns: false if the text is another one by now, and has to be read again first.
  private func write() async throws -> Bool {
    let (begun, known, isMissing) = state.withLock { state in
      (
        state.buffer.isMissing ? nil : state.buffer.beginWriting(), state.buffer.known,
        state.buffer.isMissing
      )
    }
    if isMissing { throw field.missing }
    guard let script = begun else { return true }
    guard !script.isEmpty else {
      wrote(known, nil)
      return true
    }
    guard let text = script.applied(to: known.text) else {
      throw StoreError(.other, "the edits of a session are not for the text that the store shows")
    }
    let field = field
    let written: (ShownText, EventID)?
    do {
      written = try await store.write(actor: options.actor, label: options.label) { tx in
        let view = try ReadModelView(within: tx.projected())
        let shown = try field.shown(in: view)
        guard var now = shown, now.hasBase(of: known), now.text.isSame(as: known.text) else {
          return nil
        }
        try tx.edit(field.collection, field.id, field.name, by: script)
        guard !tx.isEmpty else { return nil }
        now.text = text
        now.merged += 1
        now.vector.include(tx.event.origin, tx.event.sequence)
        return (now, tx.event)
      }
    } catch {
      state.withLock { $0.buffer.failWriting() }
      throw error
    }
    guard let (now, event) = written else {
      state.withLock { $0.buffer.failWriting() }
      return false
    }
    wrote(now, event)
    return true
  }

  private func wrote(_ now: ShownText, _ event: EventID?) {
    state.withLock { state in
      state.buffer.endWriting(now)
      state.schedule.noteWrite(at: clock.now())
      state.status.problem = nil
      if let event { state.status.lastEvent = event }
      let written = state.buffer.written
      for waiter in state.waiting where waiter.through <= written { waiter.continuation.resume() }
      state.waiting.removeAll { $0.through <= written }
      if state.buffer.isFull { state.due = state.buffer.typed }
      startTimer(&state)
      publish(&state)
    }
  }

  /// Notes why edits cannot be written, and when to try again.
  private func note(_ error: any Error) {
    let error =
      StoreError.surfacing(error) as? StoreError
      ?? StoreError(.other, "the edits of a session cannot be written: \(error)")
    state.withLock { state in
      guard !state.isEnded else { return }
      state.due = 0
      // What has failed may have been the reading.
      state.mayHaveNews = true
      state.status.problem = error
      if !state.buffer.isMissing { state.schedule.noteFailure(at: clock.now()) }
      fail(&state, error)
      startTimer(&state)
      publish(&state)
    }
  }

  private func fail(_ state: inout State, _ error: StoreError) {
    for waiter in state.waiting { waiter.continuation.resume(throwing: error) }
    state.waiting = []
  }

  // MARK: - Time

  /// Starts the timer that makes the unsaved edits due, unless it runs.
  private func startTimer(_ state: inout State) {
    guard !state.hasTimer, needsTimer(state) else { return }
    state.hasTimer = true
    Task { [self] in
      while let time = self.state.withLock({ wakeTime(&$0) }) {
        do { try await clock.sleep(time) } catch { break }
      }
    }
  }

  /// Returns the time at which the unsaved edits may be due; nil if they are, or if there are none.
  private func wakeTime(_ state: inout State) -> Duration? {
    guard needsTimer(state) else {
      state.hasTimer = false
      return nil
    }
    let time = state.schedule.time
    if time > clock.now() { return time }
    state.hasTimer = false
    state.due = state.buffer.typed
    wake.yield()
    return nil
  }

  private func needsTimer(_ state: State) -> Bool {
    !state.isEnded && !state.buffer.isMissing
      && (state.buffer.unsaved > 0 || state.schedule.isRepeating)
  }

  // MARK: - Listeners

  private func publish(_ state: inout State) {
    var status = state.status
    status.unsaved = state.buffer.unsaved
    status.written = state.buffer.written
    status.isClosed = state.isEnding
    state.status = status
    guard status != state.published else { return }
    state.published = status
    stateLoops.send(status)
  }

  /// A stream that has an element whenever there may be something to take.
  var news: AsyncStream<Void> { newsLoops.values {} }

  var states: AsyncStream<EditingSession.State> {
    stateLoops.values { state.withLock { $0.status } }
  }
}
