import ArgumentParser
import GRDB
@main struct E: ParsableCommand {}
