/// Binary search in collections that are in order.
extension RandomAccessCollection where Index == Int {
  /// Returns the first index at which a condition holds; the end index if there is none.
  /// - Parameter holds: a condition that holds for all elements after the first for which it holds.
  func partitioningIndex(where holds: (Element) -> Bool) -> Int {
    var (low, high) = (startIndex, endIndex)
    while low < high {
      let middle = low + (high - low) / 2
      if holds(self[middle]) { high = middle } else { low = middle + 1 }
    }
    return low
  }
}
