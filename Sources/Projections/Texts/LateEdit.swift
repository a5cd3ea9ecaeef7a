package import DaybookEventCore
package import DaybookTexts

extension ReadModelView {
  /// Returns a change of a text that an earlier snapshot showed as a change of the text that this
  /// snapshot shows.
  ///
  /// It is the change that would be merged if another device had made it by comparison, after it
  /// had seen the earlier snapshot and nothing else.
  ///
  /// Cost: reads the edits that have come in since from the log, and those that their authors had
  /// not seen.
  /// - Parameters:
  ///   - script: a script for the text of the earlier snapshot.
  ///   - old: the text in the earlier snapshot.
  ///   - new: the text in this one.
  ///   - collection: the collection's name.
  ///   - id: the entity's id.
  ///   - field: the field's first name.
  /// - Returns: nil if the text was assigned anew, if undos or lost events stand between the
  ///   snapshots, or if the log does not have all events in between yet. Then only a comparison of
  ///   the two texts tells what has become of the first.
  package func script(
    _ script: TextScript, for old: ShownText, on new: ShownText, _ collection: String,
    _ id: String, _ field: String
  ) throws -> TextScript? {
    guard new.hasBase(of: old), let edits = try edits(from: old, to: new, collection, id, field)
    else { return nil }
    let others = edits.known + edits.new
    let logged = try projector.earlier.source.wholeVector
    guard others.allSatisfy({ logged.contains(index.event(of: $0)) }),
      // The edits in between are those that have made the new text of the old one.
      try self.script(from: old, to: new, collection, id, field) != nil
    else { return nil }
    let length = Array(new.text.utf8).withUnsafeBytes(UTF8Scalars.count)
    let reader = EditReader(index: index, events: projector.earlier)
    return try reader.scripts(of: others).withEdits {
      others throws(ProjectionError) in
      try script.encoded.withRawBytes { own throws(ProjectionError) in
        try edits.fold.script(own, seeing: old.vector, others, length: length)
      }
    }
  }
}

extension TextFold {
  /// Returns what an edit that is not in the log, and was made by comparison, changes in a text.
  /// - Parameters:
  ///   - script: its script.
  ///   - vector: what its author had seen.
  ///   - edits: the edits that the text has beyond what the author, and each author of these edits,
  ///     had seen; in the order of each origin.
  ///   - length: the number of scalars of the text.
  /// - Returns: nil if the edits cannot be those of the text.
  fileprivate func script(
    _ script: UnsafeRawBufferPointer, seeing vector: VersionVector, _ edits: [Edit], length: Int
  ) throws(ProjectionError) -> TextScript? {
    let plan = try plan(edits, guests: 1)
    guard plan.unfit.isEmpty else { return nil }
    var merge = plan.merge
    let guest = plan.authors.count
    let known = plan.authors.indices.map { merge.count(of: $0) } + [0]
    merge.add(author: guest, sequence: 1, isComparison: true, script: script)
    let merged = try merge.merged(known: known, length: length) {
      author, other throws(ProjectionError) in
      if other == guest { return [] }
      guard author == guest else { return try plan.sights(author, other) }
      let seen = vector[index.origin(plan.authors[other]).id]
      return seen > 0 ? [TextMerge.Sight(from: 1, through: seen)] : []
    }
    guard let merged, merged.unfit.isEmpty else { return nil }
    return merged.script(length: length)
  }
}
