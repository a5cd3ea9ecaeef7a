import DaybookInterchange
import Foundation
import Testing

/// Encodings other than UTF-8, by the first bytes of a file.
@Suite struct WideEncodingTests {
  private func encoding(_ text: String, _ encoding: String.Encoding, mark: [UInt8] = [])
    -> WideEncoding?
  {
    WideEncoding(beginning: mark + Array(text.data(using: encoding) ?? Data()))
  }

  @Test("UTF-16 and UTF-32 are recognized by their byte order mark, and texts of ASCII without")
  func wide() {
    #expect(encoding("id;名前", .utf16LittleEndian, mark: [0xFF, 0xFE]) == .utf16)
    #expect(encoding("名前", .utf16BigEndian, mark: [0xFE, 0xFF]) == .utf16)
    #expect(encoding("a", .utf32LittleEndian, mark: [0xFF, 0xFE, 0, 0]) == .utf32)
    #expect(encoding("a", .utf32BigEndian, mark: [0, 0, 0xFE, 0xFF]) == .utf32)
    #expect(encoding("id,Größe\n", .utf16LittleEndian) == .utf16LittleEndian)
    #expect(encoding("id,Größe\n", .utf16BigEndian) == .utf16BigEndian)
  }

  @Test("UTF-8, bytes of no text, and very short files are none of them")
  func others() {
    for text in ["", "a", "id,n\n", "\u{FEFF}id", "名前", "a\0", "a,b\n\n1,x\0\n"] {
      #expect(WideEncoding(beginning: Array(text.utf8)) == nil, "\(text.debugDescription)")
    }
    #expect(WideEncoding(beginning: [UInt8](repeating: 0, count: 600)) == nil)
  }
}
