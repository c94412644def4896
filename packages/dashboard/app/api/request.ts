import { problemOf, unreachable } from "./ApiProblem.ts"

/** Sends a request; returns a successful response, otherwise fails with an `ApiProblem`. */
export const send = async (path: string, init: RequestInit = {}): Promise<Response> => {
  let response: Response
  try {
    response = await fetch(path, { credentials: "same-origin", ...init })
  } catch (error) {
    if (init.signal?.aborted === true) throw error
    throw unreachable()
  }
  if (!response.ok) throw problemOf(response.status, await response.text().catch(() => ""))
  return response
}

/** Requests JSON, which has the form of the route's schema in `/openapi.json`. */
export const read = async <A>(path: string, signal?: AbortSignal): Promise<A> =>
  (await send(path, signal === undefined ? {} : { signal })).json() as Promise<A>

/** Requests a file. */
export const load = async (path: string): Promise<Blob> => {
  const response = await send(path)
  return response.blob().catch(() => {
    throw unreachable()
  })
}

export const json = (method: string, body?: unknown): RequestInit => ({
  method,
  headers: { "content-type": "application/json" },
  ...(body === undefined ? {} : { body: JSON.stringify(body) })
})

/** An id as part of an address. */
export const segment = (id: string): string => encodeURIComponent(id)
