import DaybookEventCore
package import Foundation

/// The conversion between dates and times in milliseconds since 1970, which events and files hold.
extension Date {
  package init(milliseconds: Int64) {
    self.init(timeIntervalSince1970: Double(milliseconds) / 1000)
  }

  /// The whole milliseconds since 1970, rounded down, and clamped to 64 bits.
  ///
  /// The date of a time in milliseconds has that time: a date is a number of seconds, whose
  /// rounding must not cost a millisecond.
  package var milliseconds: Int64 {
    // The interval of a date may be any number, also one that is not finite.
    let exact = timeIntervalSince1970 * 1000
    let isWhole = abs(exact - exact.rounded()) < 0.1
    return Int64(saturating: isWhole ? exact.rounded() : exact.rounded(.down))
  }
}
