/// Binary search among indexes.
extension Range<Int> {
  /// Returns the first index for which a condition holds; the upper bound if there is none.
  /// - Parameter holds: A condition that holds for all indexes after the first for which it holds.
  func partitioningIndex(where holds: (Int) -> Bool) -> Int {
    var (low, high) = (lowerBound, upperBound)
    while low < high {
      let middle = (low + high) / 2
      if holds(middle) { high = middle } else { low = middle + 1 }
    }
    return low
  }
}
