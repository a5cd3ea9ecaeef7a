/// The row with which commits are measured: a short note of about 250 bytes.
///
/// Note number `n` is the same in every run and on every machine.
struct Note {
  let id: String
  let title: String
  let body: String
  let project: String
  let priority: Int64

  init(number: Int) {
    // Any fixed generator would do; the constants are those of SplitMix64.
    var state = UInt64(number) &* 0x9E37_79B9_7F4A_7C15
    func next() -> UInt64 {
      state &+= 0x9E37_79B9_7F4A_7C15
      var mixed = state
      mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
      mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
      return mixed ^ (mixed >> 31)
    }
    func words(_ count: Int) -> String {
      (0..<count).map { _ in Self.word(Int(next() % 4096)) }.joined(separator: " ")
    }
    func digits() -> String {
      let text = String(next(), radix: 16)
      return String(repeating: "0", count: 16 - text.count) + text
    }
    id = digits() + digits()
    title = words(4)
    body = words(24)
    project = "project \(next() % 200)"
    priority = Int64(next() % 5)
  }

  /// A vocabulary of 4,096 pronounceable words of four to eight letters.
  private static func word(_ number: Int) -> String {
    let syllables = [
      "ba", "de", "fi", "go", "hu", "ka", "le", "mi", "no", "pu", "ra", "se", "ti", "vo", "zu",
      "sha",
    ]
    let last = number >> 8 & 15
    return syllables[number & 15] + syllables[number >> 4 & 15] + (last < 8 ? syllables[last] : "")
      + (last.isMultiple(of: 2) ? "" : "ng")
  }

  /// The note as a line of interchange: what a writer without tables would append.
  var line: String {
    """
    {"op":"insert","collection":"notes","id":"\(id)","fields":{"title":"\(title)",\
    "body":"\(body)","project":"\(project)","priority":\(priority)}}

    """
  }
}
