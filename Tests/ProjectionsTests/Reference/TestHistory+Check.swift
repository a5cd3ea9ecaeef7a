import DaybookEventCore
import Foundation
import Testing

@testable import DaybookProjections
@testable import DaybookReferenceModel

extension TestHistory {
  /// Applies the history event by event, and compares with the reference after each.
  func check(_ order: [(String, ClosedRange<UInt64>)]) throws {
    let folder = try ProjectionFolder()
    let source = ArrayEventSource(self)
    let probe = try ReadModelProbe(source, folder: folder.url)
    var known: [String: UInt64] = [:]
    for (author, range) in order {
      source.deliver(Self.origin(author), range)
      known[author] = max(known[author] ?? 0, range.upperBound)
      try probe.catchUp()
      let delivered = Dictionary(
        uniqueKeysWithValues: known.map { author, count in
          let origin = Self.origin(author)
          return (origin, Array((events[origin] ?? []).prefix(Int(count))))
        })
      let difference = ProjectedState.firstDifference(
        expected: ReferenceModel(events: delivered).state, actual: try probe.state())
      #expect(difference == nil, "after \(author) \(range): \(difference ?? "")")
      #expect(try probe.differenceFromRebuilt(folder: folder.url) == nil)
    }
  }
}
