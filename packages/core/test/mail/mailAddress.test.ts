import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { mailAddressOf } from "../../src/mail/mailAddress.ts"

describe("a mail address", () => {
  it.each([
    ["Alice@Example.ORG", "alice@example.org"],
    ["  bob+tag@example.org\t", "bob+tag@example.org"],
    ["o'brien@example.co.uk", "o'brien@example.co.uk"],
    ["ana@MÜNCHEN.example", "ana@xn--mnchen-3ya.example"],
    ["ana@xn--mnchen-3ya.example", "ana@xn--mnchen-3ya.example"],
    ["Ünï@example.org", "ünï@example.org"],
    // The Kelvin sign and a plain k are one mailbox: the mail goes to the plain one.
    ["mi\u212Ae@example.org", "mike@example.org"],
    ["u\u0308@example.org", "ü@example.org"],
    // Only the small letter has a composed form.
    ["J\u030C@example.org", "\u01F0@example.org"]
  ])("%j is the mailbox %j", (text, address) => {
    expect(mailAddressOf(text)).toBe(address)
    expect(mailAddressOf(address)).toBe(address)
  })

  it.each([
    "",
    "alice",
    "alice@",
    "@example.org",
    "alice@localhost",
    "alice@127.0.0.1",
    "alice@[127.0.0.1]",
    "alice@example.org\r\nBcc: eve@example.org",
    "alice@example.org\nSubject: x",
    "alice@example.org, eve@example.org",
    "alice@example.org;eve@example.org",
    "alice@eve@example.org",
    "<alice@example.org>",
    "Alice <alice@example.org>",
    '"alice b"@example.org',
    "alice@example.org?bcc=eve@example.org",
    "alice@exa mple.org",
    "a\u200Blice@example.org",
    "alice\0@example.org",
    ".alice@example.org",
    "al..ice@example.org",
    "alice@example..org",
    "alice@example.org.",
    "alice@example.org:25",
    "alice@example.org/path",
    `${"a".repeat(65)}@example.org`,
    `alice@${"a".repeat(64)}.org`,
    `alice@${"a.".repeat(130)}org`,
    "a".repeat(1_000_000),
    "\uD800@example.org"
  ])("%j is none", (text) => {
    expect(mailAddressOf(text)).toBeUndefined()
  })

  it("has one form, and no character with a meaning in a header, whatever was typed", () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.emailAddress(),
          fc.tuple(fc.string({ unit: "binary" }), fc.domain()).map((parts) => parts.join("@"))
        ),
        (text) => {
          const address = mailAddressOf(text)
          if (address === undefined) return
          expect(mailAddressOf(address)).toBe(address)
          expect(address).toMatch(/^[^\s\p{C}"(),:;<>[\\\]@]+@[a-z\d.-]+$/u)
          expect(address.length).toBeLessThanOrEqual(254)
        }
      )
    )
  })
})
