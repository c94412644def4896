import { Effect } from "effect"
import type { Directory } from "../directory/Directory.ts"
import type { Moves } from "./openMoves.ts"

/**
 * The same moves, refused with `StorageFailed` if the directory does not answer, or is older than before: what it has
 * forgotten would be cancelled, and rows be erased that are in no other cell.
 */
export const byPresent = (moves: Moves, { refresh }: Directory): Moves => {
  const afterRefresh =
    <Args extends ReadonlyArray<unknown>, A>(work: (...args: Args) => Promise<A>) =>
    async (...args: Args): Promise<A> => {
      await Effect.runPromise(refresh)
      return work(...args)
    }
  return {
    ...moves,
    move: afterRefresh(moves.move),
    finishMoves: afterRefresh(moves.finishMoves),
    eraseMoved: afterRefresh(moves.eraseMoved),
    assign: afterRefresh(moves.assign)
  }
}
