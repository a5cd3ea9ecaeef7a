import Daybook
import DaybookEngine
import Foundation

extension FuzzTarget {
  /// `backup.json`, unchanged if the first byte is odd.
  ///
  /// Otherwise the checksum is corrected first, because a valid checksum does not prove good
  /// intent.
  static let backup = FuzzTarget("backup", bytesMax: 2048) {
    let says = """
      {"identity":"id","made":"2026-11-22T10:00:00Z","origins":[{"chain":"00","origin":"\
      0123456789abcdef0123456789abcdef","sequence":7}],"segments":[{"bytes":4096,"file":"\
      0000000000000001-5eed.segment","number":1,"sha256":"00"}]}
      """
    let manifest = try JSONDecoder().decode(BackupManifest.self, from: Data(says.utf8))
    _ = try BackupManifest(decoding: Data(manifest.text().utf8), path: "seed")
    return [[0] + says.utf8, try [1] + manifest.text().utf8]
  } check: { bytes in
    var input = FuzzInput(bytes)
    let isMended = input.byte() & 1 == 0
    var data = Data(input.rest())
    if isMended {
      guard let said = try? JSONDecoder().decode(BackupManifest.self, from: data) else { return }
      data = Data(try said.text().utf8)
    }
    guard let manifest = try? BackupManifest(decoding: data, path: "input") else { return }
    try require(try Data(manifest.text().utf8) == data, "a backup's list changes")
    _ = (manifest.events, manifest.bytes)
    try require(
      manifest.segments.allSatisfy { !$0.file.contains("/") }, "a segment is in another folder")
  }
}
