import type { APIRequestContext } from "playwright-core"
import { expect } from "vitest"

/** Makes a bot as another client would, in the person's session; gives its id and key. */
export const makeBot = async ({ request }: { readonly request: APIRequestContext }, settings: object) => {
  const made = await request.post("/api/bots", { data: settings })
  expect(made.status()).toBe(201)
  const { id, keys } = (await made.json()) as { id: string; keys: ReadonlyArray<{ publicKey: string }> }
  return { id, key: keys[0]?.publicKey ?? "" }
}
