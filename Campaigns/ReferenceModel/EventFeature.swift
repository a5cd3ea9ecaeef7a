/// A feature of a generated set of events, with which a test can check that it ever occurs.
enum EventFeature: String, CaseIterable, Hashable, Sendable {
  // Operations.
  case insert, update, delete, restore, erase, define, redefine, dropField, dropCollection
  case sameEntityTwice, contradictingTypes, unknownOperation, misplacedOperation, emptyTransaction
  case uuidID, unicodeID, longID, misfit, nullValue, invalidName, undeclaredName
  case relationship, search, index, unique, rename, tree, position, existsAttribute
  case uniqueTogether, uniqueFolded, uniqueOfLater, indexOfSeveral
  case defaultValue, nullable, kept, migration
  case edit, editOfOldBase, editOfUnknownBase, malformedScript
  case undo, redo, undoOfUnknownEvent, undoOfStrangeTurn
  // Events.
  case unknownKind, unknownVersion, sealed, salted, bodyHash, malformedBody, malformedOperation
  case badContext, secondIdentity
  // Origins.
  case noHub, oneHub, twoHubs, lateOrigin, impostor, stolenCertificate
  case frozenClock, skewedClock, futureClock, clockAhead
  case privateOrigin, twoPrivateOrigins, sharedSaysLocal
  // Stamps.
  case earlyStamp, lateStamp, singleStamp, rangeStamp, overlappingStamps, equalStamps
  case stampsByTwoHubs, stampOfNobody, stampOfPrivate, farStamp
}
