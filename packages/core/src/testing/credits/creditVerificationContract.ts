import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import type { Cursor } from "../../storage/Cursor.ts"
import type { Difference } from "../../credits/upkeep/Verification.ts"
import { type CreditTester, run } from "./creditTester.ts"

/** Tests verification. Comes last, because it checks the rows that the earlier tests left. */
export const describeVerification = ({ ledger, openUser, grant }: CreditTester): void => {
  describe("verify", () => {
    it("sees every account once, and finds nothing wrong with any of those the ledger wrote", async () => {
      await openUser(10)
      const verifyAll = (limit: number) =>
        Effect.gen(function* () {
          const differences: Array<Difference> = []
          let accounts = 0
          let after: Cursor | undefined
          do {
            const chunk = yield* ledger.verify({ limit, after })
            accounts += chunk.accounts
            differences.push(...chunk.differences)
            after = chunk.next
          } while (after !== undefined)
          return { accounts, differences }
        })
      const whole = await run(verifyAll(1_000_000))
      expect(whole.differences).toEqual([])
      expect(whole.accounts).toBeGreaterThan(0)
      expect(await run(verifyAll(7))).toEqual(whole)
    })

    it("finds nothing wrong if it trusts older rows, either", async () => {
      const userId = await openUser(10)
      await run(grant(userId, "topup:1", 5))
      for (const since of [0, Date.parse("9999-01-01T00:00:00Z")]) {
        const { differences } = await run(ledger.verify({ limit: 1_000_000, after: undefined, since }))
        expect(differences).toEqual([])
      }
    })
  })
}
