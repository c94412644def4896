import { isIPv4, isIPv6 } from "node:net"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { addressBucket, UNKNOWN_ADDRESS } from "../../src/limits/addressBucket.ts"

describe("The name under which calls from an address are counted", () => {
  it.each([
    ["203.0.113.7", "203.0.113.7"],
    ["  203.0.113.7 ", "203.0.113.7"],
    ["203.0.113.7:51724", "203.0.113.7"],
    ["::ffff:203.0.113.7", "203.0.113.7"],
    ["::FFFF:CB00:7107", "203.0.113.7"],
    ["0:0:0:0:0:ffff:203.0.113.7", "203.0.113.7"],
    ["[::ffff:203.0.113.7]:443", "203.0.113.7"],
    ["64:ff9b::203.0.113.7", "203.0.113.7"],
    ["::ffff:0:203.0.113.7", "203.0.113.7"],
    ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"],
    ["2001:0DB8:0001:0002::", "2001:db8:1:2::/64"],
    ["[2001:db8:1:2::1]:443", "2001:db8:1:2::/64"],
    ["2001:db8:1:3::1", "2001:db8:1:3::/64"],
    ["2001:db8::1:2:3:4:5", "2001:db8:0:1::/64"],
    ["fe80::1%eth0", "fe80:0:0:0::/64"],
    ["::1", "0:0:0:0::/64"],
    ["::", "0:0:0:0::/64"]
  ])("%s is counted as %s", (address, bucket) => expect(addressBucket(address)).toBe(bucket))

  it.each([
    undefined,
    "",
    "unknown",
    "_hidden",
    "1.2.3",
    "1.2.3.4.5",
    "256.1.1.1",
    "01.2.3.4",
    "0x7f.1",
    "1.2.3.4:123456",
    "1.2.3.4, 5.6.7.8",
    ":",
    ":::",
    "1::2::3",
    "1:2:3:4:5:6:7",
    "1:2:3:4:5:6:7:8:9",
    "1:2:3:4:5:6:7::8",
    "12345::",
    "g::",
    "1.2.3.4::",
    "::1.2.3",
    "[::1",
    "::1]"
  ])("%j, which is no address, is counted with all unknown ones", (text) => {
    expect(addressBucket(text)).toBe(UNKNOWN_ADDRESS)
  })

  it("returns no bucket for a text that is not an address for Node, and one for every address", () => {
    const text = fc.oneof(
      fc.ipV4(),
      fc.ipV6(),
      fc.string(),
      fc.stringMatching(/^[\da-f:.]{2,40}$/),
      fc
        .tuple(fc.ipV6(), fc.nat({ max: 40 }), fc.constantFrom("", ":", "::", "f", ".", "0"))
        .map(([ip, at, piece]) => ip.slice(0, at) + piece + ip.slice(at + 1))
    )
    fc.assert(
      fc.property(text, (address) => {
        expect(addressBucket(address) !== UNKNOWN_ADDRESS).toBe(isIPv4(address.trim()) || isIPv6(address.trim()))
      }),
      { numRuns: 2_000, examples: [["1:2:3:4:5:6:7::"], ["::2:3:4:5:6:7:8"], ["1::8"]] }
    )
  })

  it("counts all addresses of one network of 64 bits together, and of two apart", () => {
    const network = fc.array(fc.integer({ min: 0x100, max: 0xffff }), { minLength: 4, maxLength: 4 })
    const host = fc.array(fc.nat({ max: 0xffff }), { minLength: 4, maxLength: 4 })
    const written = (groups: ReadonlyArray<number>) => groups.map((group) => group.toString(16)).join(":")
    fc.assert(
      fc.property(network, host, host, network, (one, first, second, other) => {
        expect(addressBucket(written([...one, ...first]))).toBe(addressBucket(written([...one, ...second])))
        if (written(one) !== written(other)) {
          expect(addressBucket(written([...one, ...first]))).not.toBe(addressBucket(written([...other, ...first])))
        }
      })
    )
  })
})
