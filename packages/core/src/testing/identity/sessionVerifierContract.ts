import { Clock, Effect } from "effect"
import { describe, expect, it } from "vitest"
import type { Session, SessionInvalid, SessionVerifier } from "../../identity/SessionVerifier.ts"

/** A verifier, and the identity provider whose tokens it accepts. */
export interface SessionStage {
  readonly verifier: SessionVerifier["Service"]
  /** Returns a token that proves this session; `expiresAt` is a whole number of seconds. */
  issue(session: Session): Promise<string>
  /** Returns a token of this user that never expires. */
  issueEndless(userId: string): Promise<string>
}

const HOUR_MS = 3_600_000

/**
 * Tests the guarantees of a `SessionVerifier`. `stage` makes a verifier with its own provider; it is called for each
 * verifier that a test needs, once or twice in a test.
 */
export const sessionVerifierContract = (name: string, stage: () => SessionStage | Promise<SessionStage>): void => {
  const inAnHour = () => Math.floor((Effect.runSync(Clock.currentTimeMillis) + HOUR_MS) / 1_000) * 1_000
  const session = (userId: string, more: Partial<Session> = {}): Session => ({
    userId,
    email: undefined,
    expiresAt: inAnHour(),
    ...more
  })
  const refuses = async (
    { verifier }: SessionStage,
    token: string,
    why: Pick<SessionInvalid, "problem"> & { readonly userId?: string } = { problem: "refused" }
  ) =>
    expect(await Effect.runPromise(Effect.flip(verifier.verify(token)))).toMatchObject({
      _tag: "SessionInvalid",
      ...why
    })

  describe(`SessionVerifier: ${name}`, () => {
    it("returns the session that a token proves", async () => {
      const { verifier, issue } = await stage()
      const ann = session("ann", { email: "ann@example.com" })
      expect(await Effect.runPromise(verifier.verify(await issue(ann)))).toMatchObject(ann)
    })

    it("takes user ids of 1 to 255 characters, in any script", async () => {
      const { verifier, issue } = await stage()
      for (const userId of ["a", "x".repeat(255), "用户-Ω"]) {
        expect(await Effect.runPromise(verifier.verify(await issue(session(userId))))).toMatchObject({ userId })
      }
    })

    it("refuses user ids that are empty, too long or no text", async () => {
      const staged = await stage()
      for (const userId of ["", "x".repeat(256), "nul\0"]) await refuses(staged, await staged.issue(session(userId)))
    })

    it("refuses a token that has expired, and names its person", async () => {
      const staged = await stage()
      const expired = await staged.issue(session("ann", { expiresAt: inAnHour() - 2 * HOUR_MS }))
      await refuses(staged, expired, { problem: "expired", userId: "ann" })
    })

    it("refuses a token that never expires", async () => {
      const staged = await stage()
      await refuses(staged, await staged.issueEndless("ann"))
    })

    it("refuses a token whose end no date can hold, and takes the last that one can", async () => {
      const staged = await stage()
      const last = session("ann", { expiresAt: 8.64e15 })
      expect(await Effect.runPromise(staged.verifier.verify(await staged.issue(last)))).toMatchObject(last)
      await refuses(staged, await staged.issue(session("ann", { expiresAt: 8.64e15 + 1_000 })))
    })

    it("refuses texts that were not issued: nothing, noise, a token cut short or changed", async () => {
      const staged = await stage()
      const token = await staged.issue(session("ann"))
      const middle = Math.floor(token.length / 2)
      const changed = token.slice(0, middle) + (token[middle] === "A" ? "B" : "A") + token.slice(middle + 1)
      for (const forged of [
        "",
        " ",
        "noise",
        "a.b.c",
        token.slice(0, -4),
        changed,
        `${token}.x`,
        "x".repeat(100_000)
      ]) {
        await refuses(staged, forged)
      }
    })

    it("refuses the token of another provider", async () => {
      const [staged, other] = [await stage(), await stage()]
      await refuses(staged, await other.issue(session("ann")))
    })
  })
}
