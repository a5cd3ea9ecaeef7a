package import DaybookJSON

extension GQLValue {
  /// Makes a value of JSON; objects are maps.
  package init(_ json: JSONValue) {
    switch json {
    case .null: self = .null
    case .boolean(let value): self = .boolean(value)
    case .integer(let value): self = .integer(value)
    case .real(let value): self = .float(value)
    case .text(let text): self = .string(text)
    case .array(let elements): self = .list(elements.map { GQLValue($0) })
    case .object(let members):
      self = .map(GQLMap(members.map { ($0.key, GQLValue($0.value)) }))
    }
  }

  /// Writes the value as JSON. A node is an object with `id`, `labels` and `properties`, a
  /// relationship one with `id`, `type`, `source`, `target` and `properties`; dates and times are
  /// texts.
  package func write(to writer: inout JSONWriter) {
    switch self {
    case .null: writer.null()
    case .boolean(let value): writer.boolean(value)
    case .integer(let value): writer.integer(value)
    case .float(let value):
      if value.isFinite { writer.real(value) } else { writer.text(Conversion.text(self)) }
    case .string(let text): writer.text(text)
    case .list(let elements):
      writer.array { writer in for element in elements { element.write(to: &writer) } }
    case .map(let map): Self.write(map, to: &writer)
    case .node(let node):
      writer.object { writer in
        writer.key("id")
        writer.text(node.id.id)
        writer.key("labels")
        writer.array { writer in for label in node.labels { writer.text(label) } }
        writer.key("properties")
        Self.write(node.properties, to: &writer)
      }
    case .relationship(let one):
      writer.object { writer in
        for (key, text) in [
          ("id", one.id.id), ("type", one.type), ("source", one.source.id),
          ("target", one.target.id),
        ] {
          writer.key(key)
          writer.text(text)
        }
        writer.key("properties")
        Self.write(one.properties, to: &writer)
      }
    case .path(let path):
      writer.object { writer in
        writer.key("nodes")
        writer.array { writer in
          for node in path.nodes { GQLValue.node(node).write(to: &writer) }
        }
        writer.key("relationships")
        writer.array { writer in
          for one in path.relationships { GQLValue.relationship(one).write(to: &writer) }
        }
      }
    case .date, .localTime, .time, .localDateTime, .dateTime, .duration:
      writer.text(Conversion.text(self))
    }
  }

  private static func write(_ map: GQLMap, to writer: inout JSONWriter) {
    writer.object { writer in
      for (key, value) in map.entries {
        writer.key(key)
        value.write(to: &writer)
      }
    }
  }
}
