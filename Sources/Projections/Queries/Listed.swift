/// An item of a list that is read page by page.
package struct Listed<Item: Sendable>: Sendable {
  /// The place of the item in the list. A later page begins behind it, whether or not the item is
  /// still there.
  package var key: [Cell]
  package var item: Item

  package init(key: [Cell], item: Item) {
    self.key = key
    self.item = item
  }
}
