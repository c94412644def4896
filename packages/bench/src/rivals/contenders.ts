import type { Contender, OpenContender } from "./Contender.ts"
import { openParley } from "./parley.ts"
import { openLangChain, openMastra } from "./rivals.ts"

/** Everybody who is measured, by a name for the command line. */
export const CONTENDERS = {
  parley: openParley,
  langchain: openLangChain,
  mastra: openMastra
} as const satisfies Record<string, (input: OpenContender) => Promise<Contender>>

export type ContenderName = keyof typeof CONTENDERS
