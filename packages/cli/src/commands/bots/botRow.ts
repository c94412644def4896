import type { Bot } from "@parley/core"

const iso = (milliseconds: number) => new Date(milliseconds).toISOString()

/** A bot in the form of `--json`: like the response of `GET /api/bots/{id}`, with its newest public key. */
export const botRow = ({ createdAt, id, keys, owner, updatedAt, ...settings }: Bot) => ({
  id,
  publicKey: keys.at(-1)?.publicKey ?? null,
  owner,
  ...settings,
  keys: keys.map((key) => ({ publicKey: key.publicKey, createdAt: iso(key.createdAt) })),
  createdAt: iso(createdAt),
  updatedAt: iso(updatedAt)
})
