import DaybookEventCore
import DaybookSimulation
import Testing

@Suite("StateDigest and Hash256")
struct StateDigestTests {
  @Test("the sum does not depend on the order of its summands")
  func order() {
    var random = SplitMix64(seed: 80)
    let hashes = (0..<50).map { _ in random.hash() }
    var (forward, shuffled) = (StateDigest(), StateDigest())
    for hash in hashes { forward.add(hash) }
    for hash in random.shuffled(hashes) { shuffled.add(hash) }
    #expect(forward == shuffled)
  }

  @Test("a summand that is removed leaves no trace")
  func inverse() {
    var random = SplitMix64(seed: 81)
    for _ in 0..<200 {
      let (a, b) = (random.hash(), random.hash())
      var (digest, expected) = (StateDigest(), StateDigest())
      digest.add(a)
      digest.add(b)
      digest.remove(a)
      expected.add(b)
      #expect(digest == expected)
      digest.remove(b)
      #expect(digest == StateDigest())
    }
  }

  @Test("the sum carries through all four words and wraps at 2²⁵⁶")
  func carries() throws {
    let ones = try #require(Hash256(String(repeating: "f", count: 64)))
    let one = try #require(Hash256("01" + String(repeating: "0", count: 62)))
    var digest = StateDigest(sum: ones)
    digest.add(one)
    #expect(digest.sum == .zero)
    digest.remove(one)
    #expect(digest.sum == ones)
    let (fs, zeros) = (String(repeating: "f", count: 16), String(repeating: "0", count: 46))
    digest = StateDigest(sum: try #require(Hash256(fs + "00" + zeros)))
    digest.add(one)
    #expect(digest.description == String(repeating: "0", count: 16) + "01" + zeros)
    digest = StateDigest(sum: ones)
    digest.add(ones)
    #expect(digest.description == "fe" + String(repeating: "f", count: 62))
  }

  @Test("a summand that is added twice does not cancel itself")
  func twice() {
    var random = SplitMix64(seed: 82)
    let hash = random.hash()
    var digest = StateDigest()
    digest.add(hash)
    digest.add(hash)
    #expect(digest != StateDigest())
  }

  @Test("a hash is SHA-256, and its text parses to the same hash")
  func hashes() throws {
    #expect(
      Hash256.sha256(of: Array("abc".utf8)).description
        == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
    #expect(
      Hash256.sha256(of: []).description
        == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855")
    var random = SplitMix64(seed: 83)
    let hash = random.hash()
    #expect(Hash256(hash.description) == hash)
    #expect(Hash256(String(hash.description.dropLast())) == nil)
    #expect(
      Hash256(hash.description.uppercased()) == nil || hash.description.allSatisfy(\.isNumber))
    #expect(hash.bytes.withUnsafeBytes { Hash256(bytes: $0) } == hash)
  }
}
