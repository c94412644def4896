import { createParleyClient, ParleyError } from "@parley/client"

/** The client of the server that sent this page. */
export const parley = createParleyClient({ baseUrl: "" })

/** Requests a file from the server of this page. */
export const load = async (path: string, signal?: AbortSignal): Promise<Response> => {
  const response = await fetch(path, signal === undefined ? {} : { signal }).catch((cause: unknown) => {
    throw new ParleyError({ code: "network_error", message: "The server cannot be reached.", cause })
  })
  if (response.ok) return response
  const { status } = response
  throw new ParleyError({ code: "internal_error", message: `The server answered ${status}.`, status })
}

/** True for failures that another try may avoid: those without a response, and those of the server itself. */
export const mayPass = (error: unknown): boolean =>
  error instanceof ParleyError && (error.status === undefined || error.status >= 500)

/** True if the failure is a response with one of these statuses. */
export const hasStatus = (error: unknown, ...statuses: ReadonlyArray<number>): boolean =>
  error instanceof ParleyError && error.status !== undefined && statuses.includes(error.status)
