import { join } from "node:path"
import { expect, it } from "vitest"
import { CrashRig } from "../crash/CrashRig.ts"
import { judgePeople } from "../crash/judgeRound.ts"
import { firstSeed } from "../crash/seeds.ts"
import { temporaryFolder } from "../processes/ParleyProcess.ts"
import { Visitor } from "../processes/RunningServer.ts"
import { expansion, newerProgram, oldestCompatible, olderProgram } from "./releases.ts"
import { SteadyLoad } from "./steadyLoad.ts"

/** The required number of actions of each kind in each stage. */
const STAGE = 5

it(
  "servers of the oldest release that the schema allows answer every request while a newer one migrates it, beside the newer one, and after a rollback",
  { timeout: 600_000 },
  async ({ annotate }) => {
    using trees = temporaryFolder()
    const commit = await oldestCompatible()
    await annotate(`The older servers are of ${commit ?? "this commit: no older one runs on its schema"}.`)
    const older = commit === undefined ? undefined : await olderProgram(commit, join(trees.path, "older"))
    const newer = newerProgram([await expansion()], join(trees.path, "newer"))
    const olderMain = older === undefined ? {} : { main: older }
    const seed = firstSeed()
    await using rig = new CrashRig()
    const added = () =>
      rig.query(`SELECT FROM ${rig.schema}.migrations WHERE id = '9001_added_later'`).then(({ length }) => length)

    // First the older servers alone; then the newer one, whose start migrates the schema under their load.
    await using first = await rig.start(olderMain)
    const atFirst = await SteadyLoad.begin(first.url, "first", seed)
    await atFirst.goesOn(STAGE)
    expect(await added()).toBe(0)
    await using next = await rig.start({ main: newer })
    expect(await added()).toBe(1)
    await atFirst.goesOn(STAGE)
    const atNext = await SteadyLoad.begin(next.url, "next", seed + 1)
    await Promise.all([atFirst.goesOn(STAGE), atNext.goesOn(STAGE)])

    // The older server leaves.
    await atFirst.end()
    first.process.child.kill("SIGTERM")
    expect(await first.process.ended).toMatchObject({ exit: 0 })
    await atNext.goesOn(STAGE)

    // A rollback: the older server boots on the newer schema, and the newer one leaves.
    await using back = await rig.start(olderMain)
    expect((await new Visitor(back.url).get("/readyz")).status).toBe(200)
    const atBack = await SteadyLoad.begin(back.url, "back", seed + 2)
    await Promise.all([atNext.goesOn(STAGE), atBack.goesOn(STAGE)])
    await atNext.end()
    next.process.child.kill("SIGTERM")
    expect(await next.process.ended).toMatchObject({ exit: 0 })
    await atBack.goesOn(STAGE)
    await atBack.end()
    back.process.child.kill("SIGTERM")
    expect(await back.process.ended).toMatchObject({ exit: 0 })

    expect(await rig.leftHolds()).toEqual([])
    for (const load of [atFirst, atNext, atBack]) {
      const people = Object.fromEntries(load.people.map((person) => [person.userId, person]))
      await judgePeople(rig, people, load.records)
      await annotate(`${load.done.replies} replies, ${load.done.reads} reads, ${load.done.uploads} uploads`)
    }
    expect(await rig.differences()).toEqual([])
  }
)
