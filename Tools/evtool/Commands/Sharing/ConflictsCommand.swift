import ArgumentParser

/// The command `evtool conflicts`.
struct ConflictsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "conflicts",
    abstract: "Lists conflicts, and settles them.",
    discussion: """
      A conflict is two different writes to one field whose authors had not seen each other's. One \
      of them counts: the one with the later stamp of the hub or, as long as there is none, the \
      later time of its author. Nothing is lost, and every replica lists the same.

      Examples:
        evtool conflicts notes.daybook
        evtool conflicts resolve notes.daybook notes n1 title --take other
      """,
    subcommands: [ConflictsListCommand.self, ConflictsResolveCommand.self],
    defaultSubcommand: ConflictsListCommand.self)
}
