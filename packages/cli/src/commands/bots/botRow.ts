import type { Bot } from "@parley/core"

const iso = (milliseconds: number) => new Date(milliseconds).toISOString()

/** A bot as commands print it for programs: as `GET /api/bots/{id}` returns it, with its newest public key. */
export const botRow = ({ createdAt, id, keys, owner, updatedAt, ...settings }: Bot) => ({
  id,
  publicKey: keys.at(-1)?.publicKey ?? null,
  owner,
  ...settings,
  keys: keys.map((key) => ({ publicKey: key.publicKey, createdAt: iso(key.createdAt) })),
  createdAt: iso(createdAt),
  updatedAt: iso(updatedAt)
})
