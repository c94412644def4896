import { Effect, Result } from "effect"
import { describe, expect, it } from "vitest"
import { type Challenge, ChallengeUnavailable } from "../../widget/VisitorChallenge.ts"

/** A challenge and a way to solve it, for one test. */
export interface StagedChallenge {
  readonly challenge: Challenge
  /** Solves the challenge as a visitor's browser does; the returned token is accepted once. */
  solve(): string
  /** Makes the provider fail from now on, in one of the ways in `outages`. */
  breakDown(outage: string): void
  /** A text that no error and no response may contain. */
  readonly secret: string
}

export interface VisitorChallengeStage {
  readonly stage: () => Promise<StagedChallenge>
  /** The ways in which the provider can fail; empty if there is no provider. */
  readonly outages: ReadonlyArray<string>
}

const ADDRESS = "192.0.2.1"

/** Tests the guarantees of a `Challenge`. `stage` is called for each test. */
export const visitorChallengeContract = (name: string, { outages, stage }: VisitorChallengeStage): void => {
  describe(`VisitorChallenge: ${name}`, () => {
    const verify = ({ challenge }: StagedChallenge, token: string, address: string | undefined = ADDRESS) =>
      Effect.runPromise(Effect.result(challenge.verify({ token, address })))

    it("accepts the result of a solved challenge, once, from a known or unknown address", async () => {
      const staged = await stage()
      const [known, unknown] = [staged.solve(), staged.solve()]
      expect(await verify(staged, known)).toEqual(Result.succeed(true))
      expect(await verify(staged, known)).toEqual(Result.succeed(false))
      expect(await verify(staged, unknown, undefined)).toEqual(Result.succeed(true))
    })

    it("takes one token of many that come at the same time", async () => {
      const staged = await stage()
      const token = staged.solve()
      const all = await Promise.all(Array.from({ length: 10 }, () => verify(staged, token)))
      expect(all.filter((each) => Result.isSuccess(each) && each.success)).toHaveLength(1)
    })

    it.each(["", " ", "nonsense", "a&secret=b", "\u0000", "ü".repeat(500), "x".repeat(100_000), '{"success":true}'])(
      "takes nothing else for one: %j",
      async (token) => {
        expect(await verify(await stage(), token)).toEqual(Result.succeed(false))
      }
    )

    it("names itself and the origin of its script, and no secret", async () => {
      const { challenge, secret } = await stage()
      expect(challenge.shown.siteKey).not.toBe("")
      expect(new URL(challenge.origin).origin).toBe(challenge.origin)
      expect(JSON.stringify(challenge.shown)).not.toContain(secret)
    })

    it.each(outages)("fails if its provider fails, without revealing anything of that: %s", async (outage) => {
      const staged = await stage()
      const token = staged.solve()
      staged.breakDown(outage)
      const verified = await verify(staged, token)
      const failure = Result.isFailure(verified) ? verified.failure : undefined
      expect(failure).toBeInstanceOf(ChallengeUnavailable)
      const { message, reason } = failure as ChallengeUnavailable
      expect(`${message} ${reason} ${JSON.stringify(failure)}`).not.toContain(staged.secret)
      expect(`${message} ${reason} ${JSON.stringify(failure)}`).not.toContain(token)
    })
  })
}
