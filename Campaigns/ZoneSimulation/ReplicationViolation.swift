/// A promise of replication that a run found broken.
package struct ReplicationViolation: Error, Hashable, Sendable, CustomStringConvertible {
  package enum Promise: String, Sendable, CaseIterable {
    case kept = "what was acknowledged is there"
    case told = "what a replica says that it holds is durable there"
    case genuine = "nothing is there that its origin has not written"
    case signed = "every head verifies"
    case pure = "the same vector gives the same digest"
    case behind = "the read model is not ahead of the log"
    case causal = "no write ranks before one that its author had seen"
    case rising = "a hub's stamps rise"
    case once = "what has a stamp is not stamped again"
    case unspoiled = "a message that was spoiled is refused"
    case explained = "calls fail only where a disk or the network did"
    case finished = "a session that is done has brought both sides what they held"
    case bounded = "a session ends"
    case converging = "replicas that have exchanged everything hold the same"
    case reference = "what is shown is what the reference model shows"
    case folder = "a shared file has one writer, never changes, and stays while needed"
    case local = "what is private leaves no machine"
    case kin = "what a clone wrote is there under its new origin"
    case renewed = "a store that meets its own later events is another replica from then on"
    case forks = "a fork is found, and refused by itself"
    case typed = "what was typed and not deleted by an author who saw it is there, unmixed"
  }

  package var promise: Promise
  package var message: String

  package init(_ promise: Promise, _ message: String) {
    self.promise = promise
    self.message = message
  }

  package var description: String { "broken: \(promise.rawValue). \(message)" }
}
