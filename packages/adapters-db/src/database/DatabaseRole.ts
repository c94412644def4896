import { quoteLiteral } from "./quoting.ts"

/** As whom a statement runs. `owner` is the login itself, for migrations and the job queue's own schema. */
export type DatabaseRole =
  | { readonly name: "parley_user"; readonly userId: string }
  | { readonly name: "parley_service" }
  | { readonly name: "owner" }

/**
 * The one place that enters a role: the script that takes a transaction `from` one role `to` another. It begins the
 * transaction with `begins` where it has no role yet.
 */
export const enterRole = (begins: string, from: DatabaseRole | undefined, to: DatabaseRole): string => {
  const begin = from === undefined ? `${begins}; ` : ""
  const role = `SET LOCAL ROLE ${to.name === "owner" ? "NONE" : to.name}`
  if (to.name === "parley_user")
    return `${begin}${role}; SELECT set_config('parley.user_id', ${quoteLiteral(to.userId)}, true)`
  return from?.name === "parley_user" ? `${role}; SELECT set_config('parley.user_id', '', true)` : begin + role
}

export const sameRole = (a: DatabaseRole | undefined, b: DatabaseRole): boolean =>
  a === b || (a?.name === b.name && (b.name !== "parley_user" || (a as typeof b).userId === b.userId))
