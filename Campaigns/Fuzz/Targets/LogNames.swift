import DaybookLogEngine
import DaybookSimulation

extension FuzzTarget {
  /// File names in a log's folder, one per line.
  ///
  /// The first byte of a line selects the file's content: nothing, or one of a sample's segments.
  static let logNames = FuzzTarget("log-names", bytesMax: 512, trials: 600) {
    [
      "1000000000000000100000000.segment", "00000000000000004.segment",
      "2000000000000000a.segment.unfinished", "1000000000000FFFF.segment\n0.segment\n0mark.new",
      "0renewal", "17fffffffffffffff.segment\n17ffffffffffffffe.segment",
    ].map { Array($0.utf8) }
  } check: { bytes in
    let disk = SimulatedDisk(seed: 1)
    try SimulatedStorage(disk).makeFolder("log")
    let files = try SampleLog.files(sealing: true)
    for (name, file) in files { disk.put(name, file) }
    let segments = files.keys.filter { $0.hasSuffix(".segment") }.sorted()
    for line in bytes.split(separator: UInt8(ascii: "\n")) {
      let name = String(decoding: line.dropFirst(), as: UTF8.self)
      let path = "log/\(name)"
      guard !name.isEmpty, !name.contains("/"), files[path] == nil else { continue }
      let number = Int(line[line.startIndex] & 7)
      disk.put(path, number < segments.count ? files[segments[number]] ?? [] : [])
    }
    try checkLog(disk)
    // The work of a repair is bounded by the files that exist.
    _ = try repair(disk)
  }
}
