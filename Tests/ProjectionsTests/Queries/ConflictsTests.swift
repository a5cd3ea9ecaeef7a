import DaybookEventCore
import Testing

@testable import DaybookProjections

@Suite struct ConflictsTests {
  // Found by replaying a real history whose commits change up to 1,340 files: 4,032 conflicts took
  // 12 s, because each conflict read its events again.
  @Test("an event that is part of many conflicts is read once")
  func manyConflictsOfAnEvent() throws {
    var history = TestHistory()
    for (author, time) in [("ann", 1), ("bob", 2)] as [(String, Int64)] {
      let inserts = (0..<20).map { number in
        Operation.insert("n\(number)", ["title": .text("\(number) of \(author)")])
      }
      history.append(author, .transaction, time, [:], [.notes(["title": "text"])] + inserts)
    }
    let folder = try ProjectionFolder()
    let source = ArrayEventSource(history)
    source.deliverAll()
    let probe = try ReadModelProbe(source, folder: folder.url)
    try probe.catchUp()
    source.readsUntilFailure = 2
    let conflicts = try probe.view { view, _ in try view.conflicts() }
    #expect(conflicts.count == 20)
    #expect(conflicts.map(\.id) == (0..<20).map { "n\($0)" }.sorted())
    for conflict in conflicts {
      let number = conflict.id?.dropFirst() ?? ""
      let ordered = conflict.writes.sorted { !$0.wins && $1.wins }
      #expect(ordered.map(\.value) == ["ann", "bob"].map { .text("\(number) of \($0)") })
      #expect(ordered.map(\.wins) == [false, true])
    }
  }
}
