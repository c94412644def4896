import type { Usage } from "@parley/core"

/** Stands for your own model: the pieces of its reply as they are written, and the tokens that it took. */
export const answer = (question: string): { readonly texts: ReadonlyArray<string>; readonly usage: Usage } => ({
  texts: ["You asked: ", question],
  usage: { freshInput: 120, cacheRead: 0, cacheWrite: 0, output: 30 }
})
