import Foundation
import HeapModule

/// A scratch file of sorted runs of records.
final class RebuildRuns {
  private let file: RebuildScratchFile
  private var runs: [Range<off_t>] = []

  init(_ file: RebuildScratchFile) { self.file = file }

  /// Appends a run.
  /// - Parameter records: the run's records, in order.
  /// - Throws: ``ProjectionError`` if the file cannot be written.
  func append(_ records: some Sequence<KeyRecord>) throws(ProjectionError) {
    let start = file.count
    for record in records { try file.append(record.whole) }
    try file.flush()
    runs.append(start..<file.count)
  }

  /// Returns a merge of all runs, which yields the records in order.
  func merged() -> Merge { Merge(runs.map { Run(file.reader($0)) }) }

  /// A merge of all runs, which reads them in parallel.
  final class Merge {
    /// The current record of a run.
    private struct Place: Comparable {
      var prefix: UInt64
      var record: KeyRecord
      var run: Int

      static func < (a: Place, b: Place) -> Bool {
        a.prefix == b.prefix ? a.record < b.record : a.prefix < b.prefix
      }
      static func == (a: Place, b: Place) -> Bool { a.record == b.record }
    }

    private let runs: [Run]
    private var places = Heap<Place>()
    private var isBegun = false

    fileprivate init(_ runs: [Run]) { self.runs = runs }

    /// Returns the next record, which stays valid until the next call; nil at the end.
    /// - Throws: ``ProjectionError`` if the file cannot be read.
    func next() throws(ProjectionError) -> KeyRecord? {
      if !isBegun {
        isBegun = true
        for run in runs.indices {
          if let place = try place(of: run) { places.insert(place) }
        }
      } else if let last = places.min {
        // The last record returned is still the least: replace it with the next one of its run.
        if let place = try place(of: last.run) {
          places.replaceMin(with: place)
        } else {
          places.removeMin()
        }
      }
      return places.min?.record
    }

    private func place(of run: Int) throws(ProjectionError) -> Place? {
      guard let record = try runs[run].next() else { return nil }
      return Place(prefix: RebuildKeySort.prefix(record.first), record: record, run: run)
    }
  }

  fileprivate final class Run {
    private let reader: RebuildScratchFile.Reader
    private var size = 0

    init(_ reader: RebuildScratchFile.Reader) { self.reader = reader }

    /// Returns the next record, which stays valid until the next call; nil at the end.
    func next() throws(ProjectionError) -> KeyRecord? {
      reader.skip(size)
      guard let header = try reader.peek(RebuildKeySort.headerSize) else { return nil }
      size = KeyRecord(bytes: header, offset: 0).size
      guard let whole = try reader.peek(size) else { return nil }
      return KeyRecord(bytes: whole, offset: 0)
    }
  }
}
