import { unreachable } from "./ApiProblem.ts"
import { json, send } from "./request.ts"

/** All stored data about the person, as lines of JSON. */
export const exportOwnData = async (): Promise<Blob> => {
  const response = await send("/api/account/export")
  return response.blob().catch(() => {
    throw unreachable()
  })
}

/** Erases the person, whose id confirms it. */
export const deleteAccount = (userId: string) => send("/api/account", json("DELETE", { userId }))
