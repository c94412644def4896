import type { APIRequestContext } from "playwright-core"
import { expect } from "vitest"

/** Creates a bot through the HTTP interface, in the person's session; returns its id and key. */
export const makeBot = async ({ request }: { readonly request: APIRequestContext }, settings: object) => {
  const made = await request.post("/api/bots", { data: settings })
  expect(made.status()).toBe(201)
  const { id, keys } = (await made.json()) as { id: string; keys: ReadonlyArray<{ publicKey: string }> }
  return { id, key: keys[0]?.publicKey ?? "" }
}
