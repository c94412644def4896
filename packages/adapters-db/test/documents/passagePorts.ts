import { PassageIndex, PassageWriter } from "@parley/core/adapter"
import { Effect } from "effect"

/** The methods of both ports of passages. */
export const passagePorts = Effect.map(Effect.all([PassageIndex, PassageWriter]), ([index, writer]) => ({
  ...writer,
  ...index
}))
