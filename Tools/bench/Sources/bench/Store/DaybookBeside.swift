import Daybook
import DaybookLocks
import Foundation

/// `daybook beside EVTOOL FOLDER`: measures a command that writes one entity, alone and beside a
/// process that writes all the time.
///
/// The command opens the store, writes and closes it, so it takes the commit lock several times.
/// The other process, which is this one, holds that lock nearly always. The two are measured in
/// turns.
func daybookBeside(_ words: inout BenchArguments) async throws {
  let evtool = try words.next("EVTOOL")
  let folder = try words.next("FOLDER")
  let count = try words.number("count", default: 100)
  try words.finish()

  let url = URL(fileURLWithPath: folder + "/daybook-beside")
  try? FileManager.default.removeItem(at: url)
  let store = try await Store.create(at: url)
  try await store.write { try $0.define(Note.definition) }
  var (alone, beside) = (Latencies(reserving: count), Latencies(reserving: count))
  var written = 0
  for turn in 0..<4 {
    let commands = turn * count / 4..<(turn + 1) * count / 4
    for number in commands { alone.append(try put(number, "alone", evtool, url)) }
    let isOver = Mutex(false)
    let first = written
    async let writing = Task {
      var number = first
      while !isOver.withLock({ $0 }) {
        let note = Note(number: number)
        try await store.write { try $0.insert("notes", note.id, note.values) }
        number += 1
      }
      return number
    }.value
    for number in commands { beside.append(try put(number, "beside", evtool, url)) }
    isOver.withLock { $0 = true }
    written = try await writing
  }
  try await store.close()
  try FileManager.default.removeItem(at: url)
  for (name, latencies) in [("alone", alone), ("beside", beside)] {
    var line = JSONLine()
    line.add("daybook", "beside")
    line.add("command", name)
    line.add(latencies)
    line.write()
  }
}

/// Returns the nanoseconds that the command takes.
private func put(_ number: Int, _ name: String, _ evtool: String, _ store: URL) throws -> Int64 {
  let start = ContinuousClock.now
  let process = try ChildProcess(
    evtool,
    ["put", store.path(percentEncoded: false), "notes", "\(name)-\(number)", "title=Oat milk"],
    environment: ["DAYBOOK_LOG": "error"])
  guard process.status == 0 else { throw BenchError("a command ended with \(process.status)") }
  return nanoseconds(ContinuousClock.now - start)
}
