import DaybookAnswers
import DaybookEventCore
import DaybookJSON

/// The members of an answer's JSON object.
typealias Members = [(key: String, value: JSONValue)]

/// One call of the inspector's API. The server, the description in OpenAPI and the tests of both
/// follow from it.
struct APIRoute: Sendable {
  enum Method: String, Sendable {
    case get = "GET"
    case post = "POST"
  }

  /// What a call does to the store.
  enum Effect: Sendable {
    case reads
    /// Writes an event, and is refused if the inspector is for reading only.
    case writes
    /// Changes nothing of the store, and is refused if the inspector is for reading only: it
    /// reaches a peer or writes files.
    case acts
  }

  enum Answer: Sendable {
    /// A JSON object.
    case object(@Sendable (Inspection, CallArguments) async throws -> Members)
    /// Server-sent events.
    case events(@Sendable (Inspection, CallArguments, EventStream) async throws -> Void)
    /// A file, in pieces.
    case file(@Sendable (Inspection, CallArguments) async throws -> StreamedFile)
  }

  var method: Method
  /// The path below `api/`.
  var path: String
  var title: String
  var effect: Effect
  var parameters: [CallParameter]
  /// The members of the answer, or the names of the events.
  var results: [Result]
  var answer: Answer

  /// A member of an answer: the name, the type in JSON, and what it is.
  struct Result: Sendable {
    var name: String
    var type: JSONValue
    var description: String

    init(_ name: String, _ type: JSONValue, _ description: String) {
      (self.name, self.type, self.description) = (name, type, description)
    }
  }

  init(
    _ method: Method, _ path: String, _ title: String, _ effect: Effect = .reads,
    _ parameters: [CallParameter] = [], results: [Result],
    _ run: @escaping @Sendable (Inspection, CallArguments) async throws -> Members
  ) {
    self.init(method, path, title, effect, parameters, results, .object(run))
  }

  init(
    _ method: Method, _ path: String, _ title: String, _ effect: Effect,
    _ parameters: [CallParameter], _ results: [Result], _ answer: Answer
  ) {
    self.method = method
    self.path = path
    self.title = title
    self.effect = effect
    self.parameters = parameters
    self.results = results
    self.answer = answer
  }

  /// All routes, in the order of the description.
  static let all =
    ofStore + ofWaiting + ofTime + ofEvents + ofData + ofQueries + ofPictures + ofHealth + ofWrites

  /// Finds the route of a request.
  /// - Throws: ``APIFailure`` `notFound` or `wrongMethod`.
  static func find(_ method: String, _ path: String) throws(APIFailure) -> APIRoute {
    let found = all.filter { $0.path.isSame(as: path) }
    guard let first = found.first else {
      throw APIFailure(404, "notFound", "there is nothing at this address")
    }
    guard let route = found.first(where: { $0.method.rawValue.isSame(as: method) }) else {
      var failure = APIFailure(
        405, "wrongMethod", "this address takes \(first.method.rawValue) only")
      failure.allowed = found.map(\.method.rawValue)
      throw failure
    }
    return route
  }
}
