import DaybookEventCore
import DaybookInterchange
import DaybookJSON
import DaybookProjections

@testable import Daybook
@testable import DaybookEngine

/// The schema that define lines fold to, without a store.
func schema(_ lines: String...) throws -> StoreSchema { try schema(lines) }

func schema(_ lines: [String]) throws -> StoreSchema {
  var definitions: [Definition] = []
  for line in lines {
    let parsed = try InterchangeLine(parsing: Array(line.utf8))
    let operation = try parsed.operation(schema: StoreSchema(folding: definitions))
    if case .operation(.define(let definition)) = operation { definitions.append(definition) }
  }
  return StoreSchema(folding: definitions)
}

/// One collection with a field of each type, and a relationship.
func everyType() throws -> StoreSchema {
  try schema(
    """
    {"op":"define","collection":"things","fields":[{"name":"title","type":"text","search":2.5},\
    {"name":"count","type":"integer","index":true},{"name":"weight","type":"real"},\
    {"name":"done","type":"boolean"},{"name":"data","type":"blob"},\
    {"name":"at","type":"timestamp"},{"name":"tags","type":"json","search":true},\
    {"name":"parent","type":"text","references":"things"}]}
    """,
    """
    {"op":"define","collection":"links","relationship":true,"fields":[{"name":"kind",\
    "type":"text"}]}
    """)
}

func operation(_ line: String, _ schema: StoreSchema) throws(InterchangeError)
  -> InterchangeOperation
{
  try InterchangeLine(parsing: Array(line.utf8)).operation(schema: schema)
}

/// The error that `body` throws; nil if it throws none.
func interchangeError(_ body: () throws(InterchangeError) -> Void) -> InterchangeError? {
  do throws(InterchangeError) {
    try body()
    return nil
  } catch {
    return error
  }
}
