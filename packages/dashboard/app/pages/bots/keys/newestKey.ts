import type { Bot } from "../../../api/bots.ts"

/** The public key that new pages get. */
export const newestKey = ({ keys }: Bot): string => keys.at(-1)?.publicKey ?? ""
