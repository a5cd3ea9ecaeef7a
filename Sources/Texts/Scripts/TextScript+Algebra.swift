/// Scripts one after another, backwards, and beside each other.
extension TextScript {
  /// Returns the script that undoes this one.
  ///
  /// - Parameter text: The text that this script is for.
  /// - Returns: A script for the changed text, or nil if this script does not fit `text`.
  public func inverse(of text: String) -> TextScript? {
    let scalars = text.unicodeScalars
    var at = scalars.startIndex
    var inverse = TextScript()
    for step in steps {
      switch step {
      case .insert(let piece):
        inverse.append(.delete(piece.unicodeScalars.count))
      case .retain(let count):
        guard let end = scalars.index(at, offsetBy: count, limitedBy: scalars.endIndex) else {
          return nil
        }
        inverse.append(.retain(count))
        at = end
      case .delete(let count):
        guard let end = scalars.index(at, offsetBy: count, limitedBy: scalars.endIndex) else {
          return nil
        }
        inverse.append(.insert(String(scalars[at..<end])))
        at = end
      }
    }
    inverse.finish()
    return inverse
  }

  /// Returns one script that does what this one and then another do.
  ///
  /// - Parameter next: A script for the text that this one makes.
  public func followed(by next: TextScript) -> TextScript {
    var (first, second) = (Steps(self), Steps(next))
    var out = TextScript()
    while true {
      if case .delete(let count)? = first.head {
        out.append(.delete(count))
        first.drop(count)
        continue
      }
      if case .insert(let text)? = second.head {
        out.append(.insert(text))
        second.dropInsertion()
        continue
      }
      guard let firstHead = first.head else {
        // The rest of the text stays as it is before the second script.
        guard let step = second.head else { break }
        out.append(step)
        second.drop(second.headCount)
        continue
      }
      guard let secondHead = second.head else {
        out.append(firstHead)
        first.drop(first.headCount)
        continue
      }
      let count = min(first.headCount, second.headCount)
      switch (firstHead, secondHead) {
      case (.retain, .retain): out.append(.retain(count))
      case (.retain, .delete): out.append(.delete(count))
      case (.insert, .retain): out.append(.insert(first.prefix(count)))
      default: break  // What was inserted is deleted.
      }
      first.drop(count)
      second.drop(count)
    }
    out.finish()
    return out
  }

  /// Returns the script that does on a changed text what this one does on the text before.
  ///
  /// - Parameters:
  ///   - other: What has changed the text that this script is for.
  ///   - isFirst: Whether text that this script inserts stands before text that `other` inserts at
  ///     the same place.
  public func rebased(over other: TextScript, isFirst: Bool) -> TextScript {
    var (own, theirs) = (Steps(self), Steps(other))
    var out = TextScript()
    while let head = own.head {
      if case .insert(let text) = head {
        if !isFirst, case .insert(let before)? = theirs.head {
          out.append(.retain(before.unicodeScalars.count))
          theirs.dropInsertion()
          continue
        }
        out.append(.insert(text))
        own.dropInsertion()
        continue
      }
      if case .insert(let text)? = theirs.head {
        out.append(.retain(text.unicodeScalars.count))
        theirs.dropInsertion()
        continue
      }
      let count = theirs.head == nil ? own.headCount : min(own.headCount, theirs.headCount)
      if case .delete? = theirs.head {
        // Both pass over what the other script has deleted.
      } else if case .retain = head {
        out.append(.retain(count))
      } else {
        out.append(.delete(count))
      }
      own.drop(count)
      theirs.drop(count)
    }
    out.finish()
    return out
  }

  /// Returns the place in the changed text of a place in the text before.
  ///
  /// - Parameters:
  ///   - position: A number of scalars from the beginning of the text before.
  ///   - staysBefore: Whether the place stays before text that is inserted just there; a caret
  ///     does not move when another author types at it.
  /// - Returns: The number of scalars before the place. A place within deleted text is where the
  ///   deletion was.
  public func place(of position: Int, staysBefore: Bool = true) -> Int {
    var (before, after) = (0, 0)
    for step in steps {
      switch step {
      case .retain(let count):
        if position < before.addingClamped(count) {
          return after.addingClamped(max(0, position - before))
        }
        before = before.addingClamped(count)
        after = after.addingClamped(count)
      case .delete(let count):
        if position < before.addingClamped(count) { return after }
        before = before.addingClamped(count)
      case .insert(let text):
        if position == before, staysBefore { return after }
        after = after.addingClamped(text.unicodeScalars.count)
      }
    }
    return after.addingClamped(max(0, position - before))
  }

  /// A cursor over steps that takes them in parts.
  private struct Steps {
    private let steps: [Step]
    private var index = 0
    private(set) var head: Step?
    private(set) var headCount = 0

    init(_ script: TextScript) {
      steps = script.steps
      load()
    }

    private mutating func load() {
      head = index < steps.count ? steps[index] : nil
      switch head {
      case .retain(let count)?, .delete(let count)?: headCount = count
      case .insert(var text)?:
        headCount = text.withUTF8 { UTF8Scalars.count(UnsafeRawBufferPointer($0)) }
      case nil: headCount = 0
      }
    }

    /// The first scalars of the insertion at the cursor.
    func prefix(_ count: Int) -> String {
      guard case .insert(let text)? = head else { return "" }
      if count >= headCount { return text }
      // A substring is copied as bytes, and a view scalar by scalar.
      return String(Substring(text.unicodeScalars.prefix(count)))
    }

    mutating func dropInsertion() { drop(headCount) }

    mutating func drop(_ count: Int) {
      guard head != nil else { return }
      if count >= headCount {
        index += 1
        load()
        return
      }
      headCount -= count
      switch head {
      case .retain?: head = .retain(headCount)
      case .delete?: head = .delete(headCount)
      case .insert(let text)?:
        head = .insert(String(Substring(text.unicodeScalars.dropFirst(count))))
      case nil: break
      }
    }
  }
}
