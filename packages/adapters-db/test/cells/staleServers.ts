/** Operations by a seed, on servers whose directories are of any age, while owners move. */
import { ChatStore, CreditRecords, DocumentStore } from "@parley/core/adapter"
import { Effect, type Layer } from "effect"
import type { storesLayer } from "../../src/storesLayer.ts"
import {
  type Answered,
  eraseAll,
  moveOf,
  moveSoon,
  reply,
  type Server,
  turn,
  upload,
  type World
} from "./movingOwners.ts"

type Ports = Layer.Success<ReturnType<typeof storesLayer>>

/** Numbers from 0 up to a bound, by a seed (mulberry32). */
const numbersBy = (seed: number) => {
  let state = seed
  return (below: number): number => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296) * below)
  }
}

type Known = Answered extends Map<string, infer Each> ? Each : never

const last = (names: ReadonlySet<string>) => [...names].at(-1)

/** Reads something that was stored; dies if it is not found. */
const read = (owner: string, { chats, documents }: Known, kind: number): Effect.Effect<unknown, unknown, Ports> =>
  Effect.gen(function* () {
    const [chat, document] = [last(chats), last(documents)]
    if (kind === 0) return yield* (yield* CreditRecords).account(owner)
    if (kind === 1 && chat !== undefined) {
      const found = yield* (yield* ChatStore).transcript({ owner: { person: owner }, chatId: chat, limit: 9 })
      if (found === undefined) return yield* Effect.die(new Error(`The chat ${chat} was not found.`))
    }
    if (kind === 2 && document !== undefined) {
      const found = yield* (yield* DocumentStore).find(owner, [document])
      if (found.length === 0) return yield* Effect.die(new Error(`The document ${document} was not found.`))
    }
  })

/** Runs so many operations, one after another, on servers that may believe anything that was ever true. */
export const operate = Effect.fnUntraced(function* (
  world: World,
  answered: Answered,
  seed: number,
  operations: number
) {
  const next = numbersBy(seed)
  const owners = [...answered]
  const counts = { calls: 0, moves: 0, erasures: 0 }
  for (let number = 0; number < operations; number += 1) {
    const [owner, known] = owners[next(owners.length)] as (typeof owners)[number]
    const { directory, routed } = world.servers[next(world.servers.length)] as Server
    const on = (call: Effect.Effect<unknown, unknown, Ports>) => Effect.provide(call, routed)
    const choice = next(100)
    if (choice < 3) {
      yield* moveSoon(yield* moveOf(world, owner))
      counts.moves += 1
    } else if (choice < 4) {
      yield* eraseAll(world, 0)
      counts.erasures += 1
    } else if (choice < 6) yield* directory.refresh
    else {
      counts.calls += 1
      if (choice < 40) yield* on(reply(owner, known.replies))
      else if (choice < 50) yield* on(turn(owner, known.chats))
      else if (choice < 55) yield* on(upload(owner, known.documents))
      else yield* on(read(owner, known, next(3)))
    }
  }
  return counts
})
