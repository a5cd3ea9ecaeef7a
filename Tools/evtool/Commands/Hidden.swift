import ArgumentParser
import Daybook
import EventCore
import Projections

/// `evtool hidden`.
struct Hidden: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Lists what tables do not show of live entities, and why.",
    discussion: """
      A value that is not of its field's type reads NULL. An entity whose unique value an earlier one \
      has is parked, out of its table. In a tree, the latest of the references that make a circle \
      reads NULL. Nothing of it is lost: update or delete such an entity as any other.

      Ends with 1 where nothing is hidden.

      Example:
        evtool hidden notes.daybook
      """)

  @OptionGroup var store: StoreArgument
  @Option(help: "Only this collection.")
  var collection: String?
  @OptionGroup var output: JSONOption

  func run() async throws {
    let all = try await store.read { store in
      if let collection { try await Entities.requireCollection(collection, store) }
      return try await store.hidden()
    }
    let hidden = all.filter { collection == nil || $0.collection == collection }
    if output.json {
      StandardOutput.line(Self.json(hidden))
    } else if hidden.isEmpty {
      StandardOutput.line("nothing is hidden")
    } else {
      var table = Table(["collection", "id", "field", "value", "why"])
      for value in hidden {
        table.add([
          value.collection, Text.oneLine(value.id), value.field, Text.value(value.value),
          Self.reason(value.reason),
        ])
      }
      table.print()
    }
    if hidden.isEmpty { throw Failure.silent(.problem) }
  }

  private static func reason(_ reason: HiddenValue.Reason) -> String {
    switch reason {
    case .misfit(let declared): "not of type \(declared.rawValue)"
    case .parked(let owner): "parked: \(Text.oneLine(owner)) has it"
    case .cycle: "closes a circle"
    }
  }

  private static func json(_ hidden: [HiddenValue]) -> [UInt8] {
    var writer = JSONWriter()
    writer.array { writer in
      for value in hidden {
        writer.object {
          $0.member("collection", value.collection)
          $0.member("id", value.id)
          $0.member("field", value.field)
          $0.key("value")
          $0.value(value.value)
          switch value.reason {
          case .misfit(let declared):
            $0.member("reason", "misfit")
            $0.member("type", declared.rawValue)
          case .parked(let owner):
            $0.member("reason", "parked")
            $0.member("owner", owner)
          case .cycle: $0.member("reason", "cycle")
          }
        }
      }
    }
    return writer.bytes
  }
}
