import DaybookCRows
import DaybookEventCore
import GRDBSQLite

/// A source of rows, one after another; the base class has none. It is a class that is called
/// without reference counting, since there are too many calls for that.
class RowSource {
  /// Advances to the next row, at first to the first one; returns false at the end.
  func next() throws -> Bool { false }

  /// Sets a column of the current row. Borrowed bytes must stay valid until the next row.
  /// - Parameters:
  ///   - index: the column, from 0.
  ///   - result: receives the value.
  func column(_ index: Int, _ result: RowResult) {}
}

/// A virtual table of rows, from which one statement inserts them all: `INSERT INTO t SELECT c0, c1
/// FROM _daybook_rows`.
///
/// With one statement per row, most of the time would go into beginning and ending statements. The
/// feed must live as long as its connection.
final class RowFeed {
  /// The virtual table's name.
  static let name = DAYBOOK_ROWS_NAME

  private let rows: UnsafeMutablePointer<daybook_rows>

  /// - Parameters:
  ///   - connection: the connection on which to register the table.
  ///   - columns: the number of columns, at most 2,000.
  init(_ connection: OpaquePointer, columns: Int) throws(ProjectionError) {
    rows = .allocate(capacity: 1)
    rows.initialize(
      to: daybook_rows(
        context: nil,
        next: { context in
          guard let context else { return 0 }
          return Unmanaged<Running>.fromOpaque(context)._withUnsafeGuaranteedRef { $0.next() }
        },
        column: { context, result, index in
          guard let context, let result else { return }
          Unmanaged<Running>.fromOpaque(context)._withUnsafeGuaranteedRef {
            $0.source.column(Int(index), RowResult(context: result))
          }
        }))
    guard daybook_rows_register(connection, Int32(columns), rows) == SQLITE_OK else {
      throw Statement.error(connection, Self.name)
    }
  }

  deinit { rows.deallocate() }

  /// The source of the running statement, and its error.
  private final class Running {
    let source: RowSource
    private(set) var failure: (any Error)?

    init(_ source: RowSource) { self.source = source }

    func next() -> Int32 {
      do { return try source.next() ? 1 : 0 } catch {
        failure = error
        return -SQLITE_ABORT
      }
    }
  }

  /// Runs a statement that selects from the virtual table.
  /// - Throws: what `source` throws; ``ProjectionError``.
  func run(_ statement: Statement, _ source: RowSource) throws {
    let running = Running(source)
    rows.pointee.context = Unmanaged.passUnretained(running).toOpaque()
    defer { rows.pointee.context = nil }
    try withExtendedLifetime(running) {
      do { try statement.run() } catch { throw running.failure ?? error }
    }
  }

  /// Returns the names of the columns in a range, as in `c0, c1`.
  static func columns(_ range: Range<Int>) -> String {
    range.map { "c\($0)" }.joined(separator: ", ")
  }
}

/// The destination of one column's value.
struct RowResult {
  fileprivate let context: OpaquePointer

  func set(_ value: Int64) { sqlite3_result_int64(context, value) }

  /// Sets a column of another statement's current row.
  func set(valueOf row: Statement, _ column: Int32) {
    sqlite3_result_value(context, row.value(column))
  }

  /// Sets a UTF-8 text whose bytes stay valid until the next row.
  func setBorrowed(text utf8: UnsafeRawBufferPointer) {
    let base = utf8.baseAddress ?? UnsafeRawPointer(Self.empty)
    sqlite3_result_text64(
      context, base.assumingMemoryBound(to: CChar.self), UInt64(utf8.count), nil, UInt8(SQLITE_UTF8)
    )
  }

  /// Sets a blob whose bytes stay valid until the next row.
  func setBorrowed(blob bytes: UnsafeRawBufferPointer) {
    let base = bytes.baseAddress ?? UnsafeRawPointer(Self.empty)
    sqlite3_result_blob64(context, base, UInt64(bytes.count), nil)
  }

  func set(_ cell: Cell) {
    switch cell {
    case .null: sqlite3_result_null(context)
    case .integer(let value): set(value)
    case .real(let value): sqlite3_result_double(context, value)
    case .text(let text): set(text)
    case .blob(let bytes):
      bytes.withUnsafeBytes {
        sqlite3_result_blob64(
          context, $0.baseAddress ?? UnsafeRawPointer(Self.empty),
          UInt64($0.count), Self.copied)
      }
    }
  }

  private func set(_ text: String) {
    var text = text
    text.withUTF8 {
      sqlite3_result_text64(
        context,
        UnsafeRawPointer($0.baseAddress ?? UnsafePointer(Self.empty)).assumingMemoryBound(
          to: CChar.self),
        UInt64($0.count), Self.copied, UInt8(SQLITE_UTF8))
    }
  }

  /// Sets a canonical value whose bytes stay valid until the next row.
  func set(_ value: ValueView) {
    switch value {
    case .null: sqlite3_result_null(context)
    case .boolean(let value): set(value ? 1 : 0)
    case .integer(let value): set(value)
    case .real(let value): sqlite3_result_double(context, value)
    case .text(let utf8), .json(let utf8): setBorrowed(text: utf8)
    case .uuid(let packed): set(packed.text)
    case .blob(let bytes): setBorrowed(blob: bytes)
    case .timestamp(let value): set(Timestamp.text(value) ?? "")
    }
  }

  private static let copied = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
  private nonisolated(unsafe) static let empty = UnsafeMutablePointer<UInt8>.allocate(capacity: 1)
}
