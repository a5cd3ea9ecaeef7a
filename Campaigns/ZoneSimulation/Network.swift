internal import Simulation

/// Messages on their way between machines.
struct Network {
  /// A refusal says which versions of the protocol are known.
  enum Content { case request, response, refusal }

  struct Message {
    var content: Content
    var from: Int
    var to: Int
    /// Which session's exchange it belongs to.
    var session: Int
    var exchange: Int
    var bytes: [UInt8]
    /// Not what was sent.
    var isSpoiled = false
  }

  private(set) var messages: [Message] = []
  private(set) var isCut: Set<[Int]> = []

  mutating func send(_ message: Message) { messages.append(message) }

  /// Any message may be the next: they overtake one another.
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

  /// Cuts a link in one direction, or mends it.
  mutating func toggle(from: Int, to: Int) {
    if isCut.remove([from, to]) == nil { isCut.insert([from, to]) }
  }

  mutating func mend() {
    messages = []
    isCut = []
  }
}
