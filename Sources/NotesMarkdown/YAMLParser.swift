import CYaml

/// An event of YAML's parser, and the place of what it stands for.
struct YAMLEvent: Sendable {
  /// What may stand before a value: an anchor and a tag.
  struct Properties: Hashable, Sendable {
    var anchor: String?
    var tag: String?
  }

  enum Kind: Hashable, Sendable {
    case alias(String)
    case scalar(String, isPlain: Bool, Properties)
    case sequence(isFlow: Bool, Properties)
    case mapping(isFlow: Bool, Properties)
    case endOfSequence
    case endOfMapping
    case document
    case endOfStream
    /// The beginning of the stream, or the end of a document.
    case other
  }

  var kind: Kind
  /// The place, counted in Unicode scalars of the text.
  var range: Range<Int>
}

/// What is wrong with a text of YAML, as a part of a sentence.
struct YAMLProblem: Error {
  var message: String
}

/// Reads a text of YAML event by event, with libyaml, the parser inside of Yams.
///
/// Nothing is put together from the events, and what an alias stands for is never copied. So the
/// cost is that of the text, however often its aliases refer to each other.
final class YAMLParser {
  // The parser has pointers to itself and to the text, so both stay at their places.
  private let parser = UnsafeMutablePointer<yaml_parser_t>.allocate(capacity: 1)
  private let text: UnsafeMutableBufferPointer<UInt8>

  /// - Parameter bytes: the text, as UTF-8.
  init(_ bytes: [UInt8]) throws(YAMLProblem) {
    text = .allocate(capacity: max(bytes.count, 1))
    _ = text.update(fromContentsOf: bytes)
    parser.initialize(to: yaml_parser_t())
    guard yaml_parser_initialize(parser) == 1 else {
      throw YAMLProblem(message: "there is not enough memory to read it")
    }
    yaml_parser_set_encoding(parser, YAML_UTF8_ENCODING)
    yaml_parser_set_input_string(parser, text.baseAddress, bytes.count)
  }

  deinit {
    yaml_parser_delete(parser)
    parser.deallocate()
    text.deallocate()
  }

  /// Returns the next event.
  func next() throws(YAMLProblem) -> YAMLEvent {
    var event = yaml_event_t()
    guard yaml_parser_parse(parser, &event) == 1 else { throw problem }
    defer { yaml_event_delete(&event) }
    let start = Int(clamping: event.start_mark.index)
    let end = Int(clamping: event.end_mark.index)
    return YAMLEvent(kind: Self.kind(event), range: start..<max(start, end))
  }

  private static func kind(_ event: yaml_event_t) -> YAMLEvent.Kind {
    switch event.type {
    case YAML_ALIAS_EVENT: return .alias(text(event.data.alias.anchor) ?? "")
    case YAML_SCALAR_EVENT:
      let scalar = event.data.scalar
      let value = UnsafeBufferPointer(start: scalar.value, count: Int(clamping: scalar.length))
      return .scalar(
        String(decoding: value, as: UTF8.self), isPlain: scalar.style == YAML_PLAIN_SCALAR_STYLE,
        .init(anchor: text(scalar.anchor), tag: text(scalar.tag)))
    case YAML_SEQUENCE_START_EVENT:
      let start = event.data.sequence_start
      return .sequence(
        isFlow: start.style == YAML_FLOW_SEQUENCE_STYLE,
        .init(anchor: text(start.anchor), tag: text(start.tag)))
    case YAML_MAPPING_START_EVENT:
      let start = event.data.mapping_start
      return .mapping(
        isFlow: start.style == YAML_FLOW_MAPPING_STYLE,
        .init(anchor: text(start.anchor), tag: text(start.tag)))
    case YAML_SEQUENCE_END_EVENT: return .endOfSequence
    case YAML_MAPPING_END_EVENT: return .endOfMapping
    case YAML_DOCUMENT_START_EVENT: return .document
    case YAML_STREAM_END_EVENT: return .endOfStream
    default: return .other
    }
  }

  private static func text(_ pointer: UnsafeMutablePointer<yaml_char_t>?) -> String? {
    pointer.map { String(cString: $0) }
  }

  /// Why the parser has stopped.
  private var problem: YAMLProblem {
    let state = parser.pointee
    let what = state.problem.map { String(cString: $0) } ?? "it is no YAML"
    guard state.error == YAML_SCANNER_ERROR || state.error == YAML_PARSER_ERROR else {
      return YAMLProblem(message: what)
    }
    return YAMLProblem(message: "\(what) in its line \(state.problem_mark.line &+ 1)")
  }
}
