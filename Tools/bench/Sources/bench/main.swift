import Daybook

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

let usage = """
  usage: bench baseline load FILE DB [--repeat N] [--page-size BYTES] [--cache MIB]
                        [--primary-key with|after] [--order file|id|edges]
                        [--search rebuild|rows|beside] [--fts-page BYTES]
                        [--fts-hash MIB] [--fts-automerge N] [--sorter-threads N]
         bench baseline commit FOLDER [--count N] [--bytes N] [--prepare fallocate|zeros]
         bench baseline sqlite-commit FOLDER [--count N]
         bench baseline search DB TABLE [QUERY...] [--limit N] [--repeat N] \
  [--read ranks|rows|snippets]
         bench daybook commit FOLDER [--count N] [--writers N] [--calls async|blocking]
         bench daybook beside EVTOOL FOLDER [--count N]
         bench daybook rebuild STORE [--repeat N]
         bench daybook verify STORE [--repeat N]
         bench daybook open STORE [--repeat N]
         bench daybook search STORE COLLECTION [--repeat N] [--calls async|blocking]
         bench daybook graph STORE COLLECTION [--count N]
         bench daybook random-graph FOLDER [--relationships N] [--count N]
         bench daybook hops STORE COLLECTION RELATIONSHIP [--count N] [--rounds N]
         bench daybook closure STORE COLLECTION/ID RELATIONSHIP FIELD=VALUE [--rounds N]
         bench daybook gql FILE FOLDER [--count N]
         bench daybook gql-rows FOLDER [--rows N]
         bench daybook social FOLDER [--people N] [--count N] [--only QUESTION]
         bench daybook life FOLDER [--events N] [--entities N]
         bench daybook log-size FOLDER [--operations N]
         bench daybook sync STORE FOLDER [--count N]
         bench daybook live EVTOOL FOLDER [--count N] [--pages N]
         bench daybook entities FOLDER [--rows N] [--rounds N] [--only inserts|fetches|…]
         bench daybook texts FOLDER [--count N] [--only PART]
         bench daybook typing TRACE FOLDER [--together N] [--rounds N]
         bench daybook undo FOLDER [--entities N] [--rounds N]
         bench daybook notes FOLDER [--notes N] [--devices N] [--events N] [--rounds N]
         bench daybook crowd EVTOOL FOLDER [--clients N] [--count N] [--rate N]
         bench daybook wire EVTOOL FOLDER [--origins N]
         bench daybook attack EVTOOL FOLDER [--seconds N] [--zones N] [--zone-bytes BYTES]
                        [--connections N] [--only ATTACK]
         bench daybook origins EVTOOL FOLDER [--origins N] [--rounds N]
         bench daybook history EVTOOL FILE FOLDER [--groups N] [--through hub|live|folder|late]
                        [--commits N]

  """

func run(_ words: inout BenchArguments) async throws {
  let group = try words.next("a command")
  let command = try words.next("what to measure")
  switch group {
  case "baseline": try runBaseline(command, &words)
  case "daybook": try await runDaybook(command, &words)
  default: throw BenchError("unknown command \(group)")
  }
}

func runDaybook(_ command: String, _ words: inout BenchArguments) async throws {
  Store.tuneProcess()
  switch command {
  case "commit": try await daybookCommit(&words)
  case "beside": try await daybookBeside(&words)
  case "rebuild": try await daybookRebuild(&words)
  case "verify": try await daybookVerify(&words)
  case "open": try await daybookOpen(&words)
  case "search": try await daybookSearch(&words)
  case "graph": try await daybookGraph(&words)
  case "random-graph": try await daybookRandomGraph(&words)
  case "hops": try await daybookHops(&words)
  case "closure": try await daybookClosure(&words)
  case "gql": try await daybookGQL(&words)
  case "gql-rows": try await daybookGQLRows(&words)
  case "social": try await daybookSocial(&words)
  case "life": try await daybookLife(&words)
  case "log-size": try await daybookLogSize(&words)
  case "sync": try await daybookSync(&words)
  case "live": try await daybookLive(&words)
  case "entities": try await daybookEntities(&words)
  case "texts": try await daybookTexts(&words)
  case "typing": try await daybookTyping(&words)
  case "undo": try await daybookUndo(&words)
  case "notes": try await daybookNotes(&words)
  case "crowd": try await daybookCrowd(&words)
  case "wire": try await daybookWire(&words)
  case "attack": try await daybookAttack(&words)
  case "origins": try await daybookOrigins(&words)
  case "history": try await daybookHistory(&words)
  default: throw BenchError("nothing called \(command) is measured")
  }
}

func runBaseline(_ command: String, _ words: inout BenchArguments) throws {
  switch command {
  case "load": try baselineLoad(&words)
  case "commit": try baselineCommit(&words)
  case "sqlite-commit": try baselineSQLiteCommit(&words)
  case "search": try baselineSearch(&words)
  default: throw BenchError("unknown baseline \(command)")
  }
}

do {
  var words = try BenchArguments(CommandLine.arguments.dropFirst())
  try await run(&words)
} catch {
  let message = (error as? BenchError)?.message ?? String(describing: error)
  // C's `stderr` is a variable that Swift does not let threads share; its number is a constant.
  let hint = CommandLine.arguments.count == 1 ? usage : ""
  let text = Array("bench: \(message)\n\(hint)".utf8)
  _ = write(STDERR_FILENO, text, text.count)
  exit((error as? BenchError)?.exitCode ?? 2)
}
