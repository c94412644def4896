import { Context } from "effect"
import { type LargeWork, makePersonTurns, type PersonTurns } from "./PersonTurns.ts"

/** Large reads, and large writes, that go on at a time, and those of one person. */
const PLACES = 4
const PLACES_PER_PERSON = 1

/** Limits each kind of large work to one at a time per person, in fair order. */
export class LargeWorkTurns extends Context.Service<LargeWorkTurns, Readonly<Record<LargeWork, PersonTurns>>>()(
  "@parley/adapters-http/environment/LargeWorkTurns"
) {}

const makeTurns = () => makePersonTurns(PLACES, PLACES_PER_PERSON)

export const makeLargeWorkTurns = (): LargeWorkTurns["Service"] => ({ read: makeTurns(), write: makeTurns() })
