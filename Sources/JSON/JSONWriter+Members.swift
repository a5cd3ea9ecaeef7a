extension JSONWriter {
  /// Writes a member whose value is a text.
  package mutating func member(_ key: String, _ text: String) {
    self.key(key)
    self.text(text)
  }

  /// Writes a member whose value is an integer.
  package mutating func member(_ key: String, _ number: some FixedWidthInteger) {
    self.key(key)
    self.integer(number)
  }

  /// Writes a member whose value is true or false.
  package mutating func member(_ key: String, _ flag: Bool) {
    self.key(key)
    self.boolean(flag)
  }
}
