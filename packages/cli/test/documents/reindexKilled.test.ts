import { expect, it } from "vitest"
import { firstSeed } from "../crash/seeds.ts"
import { reindexRounds } from "./reindexRounds.ts"

it("documents whose indexing and re-indexing are killed end ready with the passages of an undisturbed run, each paid for once", async () => {
  expect(await reindexRounds(1, firstSeed())).toHaveLength(2)
}, 300_000)
