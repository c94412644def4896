import type { Contender, OpenContender } from "./Contender.ts"
import { openParley } from "./parley.ts"
import { openLangChain, openMastra } from "./rivals.ts"

/** All contenders by their names on the command line. */
export const CONTENDERS = {
  parley: openParley,
  langchain: openLangChain,
  mastra: openMastra
} as const satisfies Record<string, (input: OpenContender) => Promise<Contender>>

export type ContenderName = keyof typeof CONTENDERS
