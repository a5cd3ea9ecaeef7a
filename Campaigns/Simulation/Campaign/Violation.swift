/// A promise of the log that a run found broken.
package struct Violation: Error, Hashable, Sendable, CustomStringConvertible {
  package enum Promise: String, Sendable, CaseIterable {
    case kept = "what was acknowledged is there"
    case genuine = "nothing is there that was not written"
    case once = "every event is there once"
    case durableFirst = "nothing is seen before it is durable"
    case takenBack = "what was taken back stays away"
    case noFalseAlarm = "damage is reported only where there is some"
    case noSilence = "damage is reported"
    case identity = "an identity is given up only where the log cannot tell"
    case explained = "calls fail only where the disk did"
    case recoverable = "the log opens once the disk works again"
    case idempotent = "recovering twice is recovering once"
    case sound = "verify finds a sound log sound"
    case untouched = "what is damaged is left as it is"
    case projected = "the read model is what the log says"
    case typed = "what was typed and not deleted by an author who saw it is there, unmixed"
    case setAside = "what is cut off is kept aside"
  }

  package var promise: Promise
  package var message: String

  package init(_ promise: Promise, _ message: String) {
    self.promise = promise
    self.message = message
  }

  package var description: String { "broken: \(promise.rawValue). \(message)" }
}
