import type { Bot } from "@parley/client"

/** The newest public key of a bot, which new pages use. */
export const newestKey = ({ keys }: Bot): string => keys.at(-1)?.publicKey ?? ""
