import { json, load, send } from "./request.ts"

/** All stored data about the person, as lines of JSON. */
export const exportOwnData = () => load("/api/account/export")

/** Erases the person, whose id confirms it. */
export const deleteAccount = (userId: string) => send("/api/account", json("DELETE", { userId }))
