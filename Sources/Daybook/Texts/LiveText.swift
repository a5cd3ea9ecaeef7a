import DaybookEngine
import DaybookProjections
import DaybookTexts

/// A text with its edits: now, and after every change; see ``Store/observe(_:text:)``.
///
/// A loop ends when its task is cancelled or the store is closed. It also ends with the error of a
/// read, and a new loop reads from the beginning.
public struct LiveText: AsyncSequence, Sendable {
  public typealias Element = TextChange
  public typealias Failure = any Error

  let store: Store
  /// The field, or the error that there is none of that name.
  let field: Result<TextField, StoreError>

  public func makeAsyncIterator() -> Iterator { Iterator(store, field) }

  /// A loop over the changes of a text.
  public struct Iterator: AsyncIteratorProtocol {
    private let field: Result<TextField, StoreError>
    /// Nil after the end.
    private var listener: ChangeListener?
    /// The text that was delivered last, without the times when there was none.
    private var last: ShownText?
    private var isMissing = false
    private var isFirst = true

    fileprivate init(_ store: Store, _ field: Result<TextField, StoreError>) {
      self.field = field
      let scope = (try? field.get())?.scope ?? ChangeFeed.Scope(collections: [])
      listener = ChangeListener(store, scope)
    }

    /// Waits for the next change, and returns it; nil if the task is cancelled or the store closed.
    /// - Throws: what the read throws, ``StoreError`` among others.
    public mutating func next() async throws -> TextChange? {
      guard let listener else { return nil }
      do {
        let field = try field.get()
        while await listener.nextChange() {
          let last = last
          let news = try await listener.store.core.reads.asynchronously { snapshot in
            let view = try snapshot.view
            return try TextNews(view, field, since: last)
          }
          if let change = take(news) { return change }
        }
      } catch {
        let isEnd = Task.isCancelled || listener.isEnded
        self.listener = nil
        if isEnd { return nil }
        throw error
      }
      self.listener = nil
      return nil
    }

    /// Returns what is to be delivered; nil if the text is as it was.
    private mutating func take(_ news: TextNews) -> TextChange? {
      let previous = last
      let wasMissing = isMissing
      let wasFirst = isFirst
      isFirst = false
      isMissing = news.text == nil
      let old = previous?.text ?? ""
      guard let text = news.text else {
        return wasMissing ? nil : TextChange(.missing, from: old, to: nil, by: TextScript())
      }
      last = text
      if let previous, !wasFirst {
        let isSame = text.hasBase(of: previous)
        if isSame, !wasMissing, text.text.isSame(as: old) { return nil }
        return TextChange(
          isSame ? .edited : .replaced, from: old, to: text.text,
          by: news.edits ?? TextScript(from: old, to: text.text))
      }
      return TextChange(.first, from: "", to: text.text, by: TextScript(from: "", to: text.text))
    }
  }
}

extension Store {
  /// Returns a text with its edits: the text now, and after every change what has changed in it.
  ///
  /// ```swift
  /// for try await change in store.observe("notes", "n1", text: "body") {
  ///   caret = change.position(of: caret)
  ///   show(change.text)
  /// }
  /// ```
  /// The edits are those that were written, by this process, another one or another replica, merged
  /// with what was there. Changes that follow closely are delivered as one, and each loop has the
  /// edits since what it had itself, so that nothing is missed. If the text was assigned anew, or
  /// if there is none any more, ``TextChange/kind`` says so.
  ///
  /// Cost of a change: a read of the entity and of the new edits, and a few copies of the text;
  /// edits that the loop has delivered are not read again, unless the new ones are concurrent to
  /// them.
  /// - Parameters:
  ///   - collection: the collection.
  ///   - id: the id of the entity, which need not be there yet.
  ///   - field: the name of a text field.
  /// - Returns: the changes. The loop throws ``StoreError`` `unknownName` or `wrongType` if there
  ///   is no such text field.
  public func observe(_ collection: String, _ id: String, text field: String) -> LiveText {
    LiveText(store: self, field: .success(TextField(collection, id, field)))
  }

  /// Returns a text with its edits: the text now, and after every change what has changed in it.
  ///
  /// ```swift
  /// for try await change in store.observe(note.id, text: \.body) { … }
  /// ```
  /// - Parameters:
  ///   - id: the id of the entity.
  ///   - property: a text property.
  /// - Returns: the changes; see ``observe(_:_:text:)``.
  public func observe<E: Entity>(_ id: EntityID<E>, text property: KeyPath<E, String>) -> LiveText {
    LiveText(store: self, field: Result { () throws(StoreError) in try TextField(id, property) })
  }
}
