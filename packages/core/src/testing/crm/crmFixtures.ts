import type { NewCrmConnection } from "../../crm/CrmConnectionStore.ts"
import { newUserId } from "../storage/storageFixtures.ts"

/** Makes a new connection, of a bot that need not exist; `changes` replace any part of it. */
export const newCrmConnection = (changes: Partial<NewCrmConnection> = {}): NewCrmConnection => ({
  owner: newUserId(),
  botId: crypto.randomUUID(),
  provider: "provider_one",
  sealed: `v1.${changes.keyId ?? "first"}.${crypto.randomUUID()}`,
  keyId: "first",
  expiresAt: 1_767_225_600_000,
  refreshable: true,
  account: { id: "42", name: "Bücher & Söhne \u{1F600}" },
  connectedAt: 1_767_222_000_000,
  connectedBy: "ann@example.com",
  ...changes
})
