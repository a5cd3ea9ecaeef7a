import DaybookEventCore

/// Which of several events the author of another event had seen.
extension EventIndex {
  /// Returns those of some events that the author of an event had seen, in any order.
  ///
  /// Cost: a look-up in memory for each event, or for each origin that the author ever mentioned,
  /// whichever are fewer; and a look-up of the history of each that the author has seen by now.
  /// - Parameters:
  ///   - author: the origin number of the author.
  ///   - sequence: the author's event.
  ///   - events: the events, by the numbers of their origins. Those of the author are left out.
  func seen(by author: Int, at sequence: UInt64, among events: [Int: UInt64])
    throws(ProjectionError) -> [Int]
  {
    let context = try context(of: author)
    var found: [Int] = []
    func check(_ other: Int, _ id: ReplicaID, _ wanted: UInt64) throws(ProjectionError) {
      // What an author has seen only grows.
      guard other != author, context.vector[id] >= wanted else { return }
      if try seen(by: author, at: sequence, of: other) >= wanted { found.append(other) }
    }
    if context.mentioned.count < events.count {
      for id in context.mentioned {
        guard let other = numbers[id], let wanted = events[other] else { continue }
        try check(other, id, wanted)
      }
    } else {
      for (other, wanted) in events { try check(other, id(of: other), wanted) }
    }
    return found
  }

  /// Returns those of some events that no author of the others had seen.
  ///
  /// Cost: in proportion to the events and what their authors had seen of each other.
  /// - Parameter events: at most one event of each origin: its sequence, by the origin's number.
  func unseen(among events: [Int: UInt64]) throws(ProjectionError) -> Set<Int> {
    var unseen = events
    for (author, sequence) in events {
      for other in try seen(by: author, at: sequence, among: unseen) { unseen[other] = nil }
    }
    return Set(unseen.keys)
  }
}
