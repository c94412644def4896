import { ParleyError } from "@parley/client"

/** The failure as a `ParleyError`. Another error is a defect of the page, and is thrown on. */
export const parleyError = (error: unknown): ParleyError => {
  if (error instanceof ParleyError) return error
  throw error
}
