import { Effect, Redacted, Result } from "effect"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { noSecrets } from "../../src/secrets/noSecrets.ts"
import type { SecretBox, SecretContext } from "../../src/secrets/SecretBox.ts"
import { parseSecretKeys } from "../../src/secrets/secretKeys.ts"
import { makeWebCryptoSecretBox } from "../../src/secrets/WebCryptoSecretBox.ts"

const newKey = () => btoa(String.fromCharCode(...crypto.getRandomValues(new Uint8Array(32))))
const boxOf = (keys: string) => Effect.runPromise(makeWebCryptoSecretBox(Result.getOrThrow(parseSecretKeys(keys))))
const seal = (box: SecretBox["Service"], context: SecretContext, secret: string) =>
  Effect.runPromise(box.seal(context, Redacted.make(secret)))
const open = (box: SecretBox["Service"], context: SecretContext, text: string) =>
  Effect.runPromise(
    Effect.match(box.open(context, text), {
      onSuccess: (secret) => Redacted.value(secret),
      onFailure: ({ problem }) => ({ problem })
    })
  )

const OTHERS = { a: newKey(), b: newKey() }
const box = boxOf(`a:${OTHERS.a}`)

describe("a sealed secret", () => {
  it("opens for the same context, and is another text each time", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.string({ unit: "binary" }).filter((text) => text.isWellFormed()),
        fc.tuple(fc.string({ minLength: 1 }), fc.string(), fc.string()),
        async (secret, context) => {
          const { keyId, text } = await seal(await box, context, secret)
          expect(keyId).toBe("a")
          expect(text).toMatch(/^v1\.a\.[A-Za-z0-9_-]+$/)
          expect(await open(await box, context, text)).toBe(secret)
          expect((await seal(await box, context, secret)).text).not.toBe(text)
        }
      ),
      { numRuns: 100 }
    )
  })

  it("does not open once any character of it was changed, added or taken away", async () => {
    const context = ["tokens", "ann", "bot", "one"] as const
    const { text } = await seal(await box, context, "an access token")
    await fc.assert(
      fc.asyncProperty(
        fc.nat(text.length - 1),
        fc.constantFrom(..."ABCabc019-_.=+/ "),
        fc.constantFrom("change", "insert", "delete"),
        async (at, character, how) => {
          const changed =
            text.slice(0, at) + (how === "delete" ? "" : character) + text.slice(how === "insert" ? at : at + 1)
          if (changed === text) return
          expect(await open(await box, context, changed)).toHaveProperty("problem")
        }
      ),
      { numRuns: 500 }
    )
  })

  it("does not open for any other context, however its parts are cut", async () => {
    const { text } = await seal(await box, ["tokens", "ann", "bot", "one"], "an access token")
    for (const context of [
      ["tokens", "ann", "bot", "two"],
      ["tokens", "ann", "other", "one"],
      ["tokens", "bob", "bot", "one"],
      ["state", "ann", "bot", "one"],
      ["tokens", "annbot", "", "one"],
      ["tokens", "ann", "bot"],
      ["tokens", 'ann","bot', "one"]
    ] as const) {
      expect(await open(await box, context, text)).toEqual({ problem: "content" })
    }
  })

  it("sealed by an older key opens while that is there, and says which key is missing where it is not", async () => {
    const context = ["tokens"] as const
    const { text } = await seal(await box, context, "kept")
    const rotated = await boxOf(`b:${OTHERS.b},a:${OTHERS.a}`)
    expect(rotated.sealsWith).toBe("b")
    expect(await open(rotated, context, text)).toBe("kept")
    expect((await seal(rotated, context, "kept")).keyId).toBe("b")
    expect(await open(await boxOf(`b:${OTHERS.b}`), context, text)).toEqual({ problem: "key" })
    expect(await open(await boxOf(`a:${OTHERS.b}`), context, text)).toEqual({ problem: "content" })
    expect(await open(noSecrets, context, text)).toEqual({ problem: "key" })
  })
})

describe("keys for secrets", () => {
  it("are taken as base64 of either alphabet or hexadecimal, with or without an id, which is the key's own otherwise", async () => {
    const bytes = Uint8Array.from({ length: 32 }, (_, index) => (index * 73 + 251) % 256)
    const base64 = btoa(String.fromCharCode(...bytes))
    const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("")
    const url = base64.replaceAll("+", "-").replaceAll("/", "_").replace("=", "")
    const ids = await Promise.all(
      [base64, hex, hex.toUpperCase(), url].map(async (key) => (await boxOf(key)).sealsWith)
    )
    expect(new Set(ids)).toEqual(new Set([expect.stringMatching(/^[A-Za-z0-9_-]{8}$/)]))
    expect((await boxOf(` 2026-11 : ${hex} , ${newKey()} `)).sealsWith).toBe("2026-11")
  })

  it("that are invalid are reported together, by their position, and never shown", () => {
    const weak = "00".repeat(32)
    const text = `good:${newKey()},hunter2,bad id:${newKey()},${weak},good:${newKey()},`
    const problems = Result.match(parseSecretKeys(text), { onSuccess: () => [], onFailure: (error) => error.problems })
    expect(problems).toEqual([
      expect.stringMatching(/^key 2: expected 32 bytes/),
      expect.stringMatching(/^key 3: expected an id/),
      expect.stringMatching(/^key 4: .*pattern/),
      expect.stringMatching(/^key 6: expected 32 bytes/),
      expect.stringMatching(/different id/)
    ])
    expect(problems.join()).not.toMatch(/hunter2|bad id|0000/)
    expect(JSON.stringify(parseSecretKeys(newKey()))).toContain("redacted")
  })

  it("that are the same twice are refused", async () => {
    const key = newKey()
    const [first] = Result.getOrThrow(parseSecretKeys(key))
    const twice = first === undefined ? [] : [first, first]
    const failed = await Effect.runPromise(Effect.flip(makeWebCryptoSecretBox(twice)))
    expect(failed._tag).toBe("InvalidSecretKeys")
    expect(Result.isFailure(parseSecretKeys(`${key},${key}`))).toBe(true)
    await expect(boxOf(`a:${key},b:${key}`)).resolves.toMatchObject({ sealsWith: "a" })
  })
})
