import { createParleyClient, ParleyError } from "@parley/client"

/** The server of this page. */
export const parley = createParleyClient({ baseUrl: "" })

/** Requests a file of this page. */
export const load = async (path: string, signal?: AbortSignal): Promise<Response> => {
  const response = await fetch(path, signal === undefined ? {} : { signal }).catch((cause: unknown) => {
    throw new ParleyError({ code: "network_error", message: "The server cannot be reached.", cause })
  })
  if (response.ok) return response
  const { status } = response
  throw new ParleyError({ code: "internal_error", message: `The server answered ${status}.`, status })
}

/** Failures without an answer, and those of the server: another try may not meet them. */
export const mayPass = (error: unknown): boolean =>
  error instanceof ParleyError && (error.status === undefined || error.status >= 500)

/** The failure is an answer with this status. */
export const hasStatus = (error: unknown, ...statuses: ReadonlyArray<number>): boolean =>
  error instanceof ParleyError && error.status !== undefined && statuses.includes(error.status)
