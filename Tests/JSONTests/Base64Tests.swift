import DaybookJSON
import DaybookSimulation
import Testing

@Suite struct Base64Tests {
  @Test(
    "texts are encoded as in the vectors of RFC 4648",
    arguments: [
      ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="),
      ("fooba", "Zm9vYmE="), ("foobar", "Zm9vYmFy"),
    ])
  func vectors(plain: String, encoded: String) {
    #expect(Base64.encode(Array(plain.utf8)) == encoded)
    #expect(Base64.decode(encoded) == Array(plain.utf8))
  }

  @Test(
    "other spellings are refused",
    arguments: [
      "Z", "Zg", "Zg=", "Zh==", "Zm9=", "Zg==Zg==", "Zm9v\n", "Zm-_", "====", "=m9v", "Zé==",
    ])
  func refused(text: String) { #expect(Base64.decode(text) == nil) }

  @Test("every blob is decoded as it was encoded")
  func roundTrip() {
    var random = SplitMix64(seed: 1)
    for count in 0..<200 {
      let bytes = (0..<count).map { _ in UInt8(truncatingIfNeeded: random.next()) }
      #expect(Base64.decode(Base64.encode(bytes)) == bytes)
    }
  }
}
