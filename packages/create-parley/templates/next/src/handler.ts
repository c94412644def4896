import { type FetchInfo, parleyFetch } from "@parley/adapters-http"
import { runtimeOf } from "@parley/core/effect"
import { openParley } from "./parley.ts"
import { signIn } from "./signIn.ts"

const open = async () => {
  const { parley } = await openParley()
  const baseUrl = process.env["PARLEY_BASE_URL"] ?? "http://localhost:3000"
  return parleyFetch({ runtime: runtimeOf(parley), baseUrl, ...signIn })
}

const kept = globalThis as { handler?: ReturnType<typeof open> }

/**
 * Parley is opened by the first request and not by `next build`. Reloads of a development server reuse the open one.
 */
export const handle = async (request: Request, info?: FetchInfo): Promise<Response> =>
  (await (kept.handler ??= open()))(request, info)
