import DaybookEventCore

extension PlanRules {
  /// Reads only the columns of an element that the statement reads.
  ///
  /// Before, of `RETURN b.x`: the whole row of `b`. After, its id, labels and `x`; and of what
  /// nothing reads, whether it is there.
  static let columns = PlanRules(rawValue: 32)
}

extension PlanCompiler {
  /// What is read of the element in each slot, once the plan is made.
  var needs: [ElementNeeds] {
    (0..<slotCount).map { rules.contains(.columns) ? uses.needs($0) : .whole }
  }
}

/// What a plan reads of the node or relationship that a step finds, so that a graph reads no more
/// than that from the store.
///
/// What stands for an element is always there in part: a node that is read has its id and labels,
/// a relationship its id, type and ends. What a statement changes is read whole: it is handed on as
/// it is afterwards, to all that read it.
final class ElementNeeds: Sendable, Hashable {
  /// Whether anything reads it. If not, it only has to be there.
  let isRead: Bool
  /// The properties that are read; nil for all.
  let properties: [String]?

  init(isRead: Bool, properties: [String]?) {
    self.isRead = isRead
    self.properties = properties
  }

  /// Everything, for what is handed on as a value.
  static let whole = ElementNeeds(isRead: true, properties: nil)

  // One of a plan is equal to itself only, which is quick to find out.
  static func == (a: ElementNeeds, b: ElementNeeds) -> Bool { a === b }

  func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }

  func includes(_ property: String) -> Bool {
    properties?.contains { $0.isSame(as: property) } ?? true
  }
}

/// What the parts of a plan read of elements, gathered while it is made.
struct ElementUses {
  private struct Use {
    var isWhole = false
    var properties: [String] = []
    /// The bytes of the properties.
    var known: Set<[UInt8]> = []
  }

  /// By the slot of the element.
  private var uses: [Int: Use] = [:]

  /// Notes that which element it is matters, or which labels it has.
  mutating func noteIdentity(_ slot: Int) { if uses[slot] == nil { uses[slot] = Use() } }

  mutating func noteProperty(_ name: String, of slot: Int) {
    guard uses[slot, default: Use()].known.insert(Array(name.utf8)).inserted else { return }
    uses[slot]?.properties.append(name)
  }

  /// Notes that the element is used as a value.
  mutating func noteWhole(_ slot: Int) { uses[slot, default: Use()].isWhole = true }

  func needs(_ slot: Int) -> ElementNeeds {
    guard let use = uses[slot] else { return ElementNeeds(isRead: false, properties: []) }
    return use.isWhole ? .whole : ElementNeeds(isRead: true, properties: use.properties)
  }
}
