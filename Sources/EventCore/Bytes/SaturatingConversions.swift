/// Conversions to integers that end at the bounds of the type. Swift's own end the process there.
///
/// Clocks, files and options can have any value, so nothing else turns a number with a fraction, or
/// a duration, into an integer. A test of the sources looks for conversions that do not say what
/// happens at the bounds.
extension FixedWidthInteger {
  /// Makes an integer from a number by leaving out its fraction.
  ///
  /// A number out of range becomes the nearest integer there is, and what is no number becomes 0.
  @inlinable
  package init(saturating number: Double) {
    if let exact = Self(exactly: number.rounded(.towardZero)) {
      self = exact
    } else if number.isNaN {
      self = 0
    } else {
      self = number < 0 ? .min : .max
    }
  }
}

extension Duration {
  /// The whole milliseconds, without the rest. A duration that is too long becomes the longest.
  package var wholeMilliseconds: Int64 { whole(1000) }

  /// The whole nanoseconds, without the rest. A duration over 292 years becomes the longest.
  package var wholeNanoseconds: Int64 { whole(1_000_000_000) }

  private func whole(_ perSecond: Int64) -> Int64 {
    let (seconds, attoseconds) = components
    let product = seconds.multipliedReportingOverflow(by: perSecond)
    let rest = attoseconds / (1_000_000_000_000_000_000 / perSecond)
    let sum = product.partialValue.addingReportingOverflow(rest)
    return product.overflow || sum.overflow ? (seconds < 0 ? .min : .max) : sum.partialValue
  }
}
