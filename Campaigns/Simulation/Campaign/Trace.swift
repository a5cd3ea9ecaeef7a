/// A readable account of a run: numbered steps, each with its disk calls.
///
/// Cost: nothing while it is off.
package struct Trace: Sendable {
  package private(set) var lines: [String] = []
  package let isOn: Bool
  private var steps = 0

  package init(isOn: Bool) { self.isOn = isOn }

  /// Adds a step.
  ///
  /// - Parameters:
  ///   - who: The process, or "-" for the world around the processes.
  ///   - calls: The disk calls of the step.
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
