package import DaybookEventCore
import DaybookJSON
package import DaybookProjections

extension InterchangeWriter {
  /// Returns one event as one line of JSON, as `evtool log --json` prints it.
  ///
  /// - Parameters:
  ///   - id: the event's origin and sequence number.
  ///   - authored: the time that the author gave the event.
  ///   - stamp: the stamp time that takes effect, and the hub that gave it; nil while the event is
  ///     pending.
  ///   - body: the event's body; nil if it was erased, is sealed, or has a newer format. Then
  ///     `operations` is null.
  ///   - schema: the schema that names collections and fields.
  package static func event(
    _ id: EventID, authored: HybridTime, stamp: (time: HybridTime, hub: ReplicaID)?, body: Body?,
    schema: StoreSchema
  ) -> [UInt8] {
    var writer = JSONWriter()
    writer.object { writer in
      writer.key("origin")
      writer.text(id.origin.description)
      writer.key("sequence")
      writer.integer(id.sequence)
      if id.origin.isPrivate {
        writer.key("local")
        writer.boolean(true)
      }
      writer.key("authored")
      writer.timestamp(authored.milliseconds)
      writer.key("stamp")
      if let stamp { writer.timestamp(stamp.time.milliseconds) } else { writer.null() }
      writer.key("hub")
      if let stamp { writer.text(stamp.hub.description) } else { writer.null() }
      // A shared and a local collection may have the same name but different ends.
      let isMixed = schema.collections.values.contains(where: \.isLocal)
      let schema = isMixed ? schema.seen(byLocal: id.origin.isPrivate) : schema
      write(body, schema: schema, to: &writer)
    }
    return writer.bytes
  }

  private static func write(_ body: Body?, schema: StoreSchema, to writer: inout JSONWriter) {
    writer.key("actor")
    writer.text(body?.actor ?? "")
    writer.key("label")
    writer.text(body?.label ?? "")
    writer.key("annotations")
    writer.object {
      let annotations = body?.annotations ?? [:]
      for key in annotations.keys.sorted(by: utf8Less) {
        $0.key(key)
        $0.text(annotations[key] ?? "")
      }
    }
    writer.key("operations")
    guard let body else { return writer.null() }
    writer.array { writer in
      for operation in body.operations { self.operation(operation, schema: schema, to: &writer) }
    }
  }
}
