/** An unsuccessful response (RFC 9457), or no response, with the status 0. */
export class ApiProblem extends Error {
  readonly status: number
  /** The server's stable code of the failure. */
  readonly code: string
  readonly members: Readonly<Record<string, unknown>>

  constructor(status: number, message: string, members: Readonly<Record<string, unknown>> = {}) {
    super(message)
    this.name = "ApiProblem"
    this.status = status
    this.code = typeof members["code"] === "string" ? members["code"] : status === 401 ? "unauthorized" : ""
    this.members = members
  }
}

/** The failure of a request without a response. */
export const unreachable = (): ApiProblem => new ApiProblem(0, "The server cannot be reached.")

const membersOf = (body: string): Record<string, unknown> => {
  try {
    const parsed: unknown = JSON.parse(body)
    return typeof parsed === "object" && parsed !== null ? { ...parsed } : {}
  } catch {
    // Not JSON: something between the page and the server answered.
    return {}
  }
}

/** Parses the problem in a response's body, or returns a plain sentence if there is none. */
export const problemOf = (status: number, body: string): ApiProblem => {
  const members = membersOf(body)
  const sentence = members["detail"] ?? members["error"] ?? members["title"]
  return new ApiProblem(status, typeof sentence === "string" ? sentence : `The server answered ${status}.`, members)
}
