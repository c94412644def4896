import { FairQueue } from "@parley/core/adapter"
import { Context } from "effect"

/** Work that keeps the database and the event loop busy for milliseconds: reading long chats, and writing files. */
export type LargeWorkKind = "read" | "write"

/** One queue for each kind of large work: a few people at a time, each with one of it. */
export class LargeWork extends Context.Service<LargeWork, Readonly<Record<LargeWorkKind, FairQueue>>>()(
  "@parley/adapters-http/environment/LargeWork"
) {}

const makeQueue = () => new FairQueue({ places: 4, perPerson: 1, rest: { times: 1, longestMs: 500 } })

export const makeLargeWork = (): LargeWork["Service"] => ({ read: makeQueue(), write: makeQueue() })
