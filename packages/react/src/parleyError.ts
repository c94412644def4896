import { ParleyError } from "@parley/client"

/** Returns a failure as a `ParleyError`. Any other error is a defect of the page, so it is thrown again. */
export const parleyError = (error: unknown): ParleyError => {
  if (error instanceof ParleyError) return error
  throw error
}
