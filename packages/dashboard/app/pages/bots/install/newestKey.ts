import type { Bot } from "@parley/client"

/** The public key that new pages get. */
export const newestKey = ({ keys }: Bot): string => keys.at(-1)?.publicKey ?? ""
