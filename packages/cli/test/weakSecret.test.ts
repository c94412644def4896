import { createHash } from "node:crypto"
import { readFileSync } from "node:fs"
import { describe, expect, it } from "vitest"
import { weaknessOf } from "../src/config/rules/weakSecret.ts"

/** 32 bytes that look random, the same in each run. */
const bytesOf = (number: number): Buffer => createHash("sha256").update(`secret ${number}`).digest()

describe("weaknessOf", () => {
  it("finds nothing in 32 random bytes, however they are written down", () => {
    for (let number = 0; number < 5_000; number++) {
      for (const encoding of ["hex", "base64", "base64url"] as const) {
        const secret = bytesOf(number).toString(encoding)
        expect({ secret, weakness: weaknessOf(secret) }).toEqual({ secret, weakness: undefined })
      }
      const digits = BigInt(`0x${bytesOf(number).toString("hex")}`)
        .toString()
        .padStart(40, "7")
        .slice(-40)
      expect({ digits, weakness: weaknessOf(digits) }).toEqual({ digits, weakness: undefined })
    }
  })

  it.each([
    ["one character", "a".repeat(64)],
    ["two characters in turn", "ab".repeat(32)],
    ["zeros and ones", "0101101110101001010110101010110111010100"],
    ["a repeated word", "k3Vq9x".repeat(8)],
    ["a repeated pattern, cut short", "k3Vq9x7Tbn1k3Vq9x7Tbn1k3Vq9x7Tbn1k3V"],
    ["the alphabet", "abcdefghijklmnopqrstuvwxyzabcdefghijkl"],
    ["the digits", "01234567890123456789012345678901"],
    ["hexadecimal digits in order, twice", "0123456789abcdef0123456789abcdef"],
    ["backwards", "zyxwvutsrqponmlkjihgfedcba9876543210"],
    ["spaces and a word", `secret${" ".repeat(40)}`],
    ["the word itself, long", "secret-secret-secret-secret-secret-secret"],
    ["changeme", "changeme-changeme-changeme-changeme-1"],
    ["change-me in capitals", "CHANGE_ME_CHANGE_ME_CHANGE_ME_CHANGE_ME"],
    ["what a tutorial says", "my-super-secret-session-secret-for-parley-123"],
    ["what a template says", "replace-this-with-a-long-random-string-of-32-characters"],
    ["the name of the variable", "PARLEY_SESSION_SECRET=PARLEY_SESSION_SECRET"],
    ["a word with the digits behind it", "supersecret12345678901234567890123456"],
    ["a well-known passphrase", "correct-horse-battery-staple-correct"],
    ["a JWT tutorial's", "your-256-bit-secret-your-256-bit-secret"]
  ])("finds a guess in %s", (_, secret) => {
    expect(weaknessOf(secret)).toMatch(/plainly guessed/)
  })

  it("finds what is too short, counted in bytes", () => {
    expect(weaknessOf("Zq8vT3mLw5Xs9RbN2hJc7KdP4gYf6At")).toBe("has fewer than 32 bytes")
    expect(weaknessOf("Zq8vT3mLw5Xs9RbN2hJc7KdP4gYf6AtE")).toBeUndefined()
    expect(weaknessOf("é8vT3mLw5Xs9RbN2hJc7KdP4gYf6AtE")).toBeUndefined()
  })

  it("is not misled by a word in front of random characters", () => {
    expect(weaknessOf(`secret-${bytesOf(1).toString("hex")}`)).toBeUndefined()
    expect(weaknessOf(`parley-prod-${bytesOf(2).toString("base64")}`)).toBeUndefined()
  })

  it("finds every value that the example of the environment shows", () => {
    const example = readFileSync(new URL("../../../.env.example", import.meta.url), "utf8")
    const values = [...example.matchAll(/^# [A-Z_]+=(.+)$/gm)].map(([, value = ""]) => value)
    expect(values.length).toBeGreaterThan(5)
    for (const value of values) {
      expect({ value, isWeak: weaknessOf(value) !== undefined }).toEqual({ value, isWeak: true })
    }
  })
})
