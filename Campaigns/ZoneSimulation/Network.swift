import DaybookSimulation

/// Messages in transit between machines.
struct Network {
  /// The kind of a message; a refusal lists the known versions of the protocol.
  enum Content { case request, response, refusal }

  struct Message {
    var content: Content
    var from: Int
    var to: Int
    /// The number of the session to which the exchange belongs.
    var session: Int
    var exchange: Int
    var bytes: [UInt8]
    /// Whether the bytes differ from those that were sent.
    var isSpoiled = false
  }

  private(set) var messages: [Message] = []
  private(set) var isCut: Set<[Int]> = []

  mutating func send(_ message: Message) { messages.append(message) }

  /// Removes and returns a random message, because messages can overtake one another.
  ///
  /// - Returns: Nil if no message fits.
  mutating func take(_ random: inout SplitMix64, to machine: Int? = nil, _ content: Content? = nil)
    -> Message?
  {
    let indices = messages.indices.filter {
      (machine == nil || messages[$0].to == machine)
        && (content == nil || messages[$0].content == content)
    }
    guard !indices.isEmpty else { return nil }
    return messages.remove(at: indices[random.below(indices.count)])
  }

  func isCut(from: Int, to: Int) -> Bool { isCut.contains([from, to]) }

  /// Cuts a link in one direction, or restores it.
  mutating func toggle(from: Int, to: Int) {
    if isCut.remove([from, to]) == nil { isCut.insert([from, to]) }
  }

  mutating func mend() {
    messages = []
    isCut = []
  }
}
