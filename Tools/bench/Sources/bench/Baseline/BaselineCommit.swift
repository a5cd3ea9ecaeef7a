import DaybookCBaseline

/// `baseline commit FOLDER`: measures one durable append on the folder's disk.
func baselineCommit(_ words: inout BenchArguments) throws {
  let folder = try words.next("FOLDER")
  let count = try words.number("count", default: 2000)
  // 0 stands for the line of the note that `sqlite-commit` writes as a row.
  let bytes = try words.number("bytes", default: 0)
  let preparations: KeyValuePairs = [
    "fallocate": baseline_file_reserved, "zeros": baseline_file_zeroed,
  ]
  let chosen = try words.choice("prepare", of: preparations, default: baseline_file_reserved)
  try words.finish()

  let payloads = (0..<count).map { number in
    bytes > 0
      ? [UInt8](repeating: UInt8(number & 0xFF), count: bytes)
      : [UInt8](Note(number: number).line.utf8)
  }
  let total = payloads.reduce(0) { $0 + $1.count }
  guard let file = baseline_file_open(folder + "/baseline-commit", UInt64(max(total, 1)), chosen)
  else { throw BenchError.baseline() }
  defer { baseline_file_close(file) }

  var latencies = Latencies(reserving: count)
  for payload in payloads {
    let nanoseconds = baseline_file_commit(file, payload, payload.count)
    guard nanoseconds >= 0 else { throw BenchError.baseline() }
    latencies.append(nanoseconds)
  }
  var line = JSONLine()
  line.add("baseline", "commit_write_fdatasync")
  line.add("prepare", chosen == baseline_file_zeroed ? "zeros" : "fallocate")
  line.add("bytes_mean", total / max(count, 1))
  line.add(latencies)
  line.write()
}

/// `baseline sqlite-commit FOLDER`: measures a note as a row of plain SQLite, one per transaction.
func baselineSQLiteCommit(_ words: inout BenchArguments) throws {
  let folder = try words.next("FOLDER")
  let count = try words.number("count", default: 2000)
  try words.finish()

  let path = folder + "/baseline-commit.sqlite"
  guard let notes = baseline_notes_open(path) else { throw BenchError.baseline() }
  defer { baseline_notes_close(notes) }
  var latencies = Latencies(reserving: count)
  for number in 0..<count {
    let nanoseconds = commit(Note(number: number), to: notes)
    guard nanoseconds >= 0 else { throw BenchError.baseline() }
    latencies.append(nanoseconds)
  }
  var line = JSONLine()
  line.add("baseline", "commit_sqlite_row")
  line.add(latencies)
  line.add("sqlite", String(cString: baseline_sqlite_version()))
  line.write()
}

private func commit(_ note: Note, to notes: OpaquePointer) -> Int64 {
  note.id.withCString { id in
    note.title.withCString { title in
      note.body.withCString { body in
        note.project.withCString { project in
          var row = baseline_note(
            id: id, title: title, body: body, project: project, priority: note.priority)
          return baseline_notes_commit(notes, &row)
        }
      }
    }
  }
}
