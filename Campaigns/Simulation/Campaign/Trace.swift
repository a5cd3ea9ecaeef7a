/// What happened in a run, for a person to read: numbered steps, and below each the calls of the
/// disk. Costs nothing while it is off.
package struct Trace: Sendable {
  package private(set) var lines: [String] = []
  package let isOn: Bool
  private var steps = 0

  package init(isOn: Bool) { self.isOn = isOn }

  /// - Parameters:
  ///   - who: the process, or "-" for the world around them.
  ///   - calls: what was asked of the disk.
  package mutating func step(_ who: String, _ text: @autoclosure () -> String, calls: [String] = [])
  {
    guard isOn else { return }
    steps += 1
    lines.append("\(pad(String(steps), 4))  \(who)  \(text())")
    for call in calls { lines.append("             \(call)") }
  }

  private func pad(_ text: String, _ width: Int) -> String {
    String(repeating: " ", count: max(0, width - text.count)) + text
  }
}
