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
    var random = Scatter(seed: number)
    func words(_ count: Int) -> String {
      (0..<count).map { _ in Self.word(Int(random.next() % 4096)) }.joined(separator: " ")
    }
    func digits() -> String {
      let text = String(random.next(), radix: 16)
      return String(repeating: "0", count: 16 - text.count) + text
    }
    id = digits() + digits()
    title = words(4)
    body = words(24)
    project = "project \(random.next() % 200)"
    priority = Int64(random.next() % 5)
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
