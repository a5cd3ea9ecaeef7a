import Daybook
import DaybookMacros
import Foundation

let arguments = Array(CommandLine.arguments.dropFirst())
let command = arguments.first ?? "list"
let words = Array(arguments.dropFirst())
let environment = ProcessInfo.processInfo.environment
let folder = URL(filePath: environment["NOTES"] ?? "my-notes")
print("\(command) the notes in \(folder.path)")
