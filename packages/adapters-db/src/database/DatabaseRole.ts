import { setForTransaction } from "./sessionSettings.ts"

/**
 * The role under which a statement runs. `owner` is the login itself, for migrations and the schema of the job queue.
 */
export type DatabaseRole =
  | { readonly name: "parley_user"; readonly userId: string }
  | { readonly name: "parley_service" }
  | { readonly name: "owner" }

/**
 * Returns the script that changes the role of a transaction from `from` to `to`. If the transaction has no role yet,
 * the script begins it with `begins`. Only this script, and the functions that store a turn (`0004_turns.sql`), change
 * roles.
 */
export const enterRole = (begins: string, from: DatabaseRole | undefined, to: DatabaseRole): string => {
  const role = ["role", to.name === "owner" ? "none" : to.name] as const
  const user = ["parley.user_id", to.name === "parley_user" ? to.userId : ""] as const
  const concernsUser = to.name === "parley_user" || from?.name === "parley_user"
  const enter = setForTransaction(concernsUser ? [role, user] : [role])
  return from === undefined ? `${begins}; ${enter}` : enter
}

export const sameRole = (a: DatabaseRole | undefined, b: DatabaseRole): boolean =>
  a === b || (a?.name === b.name && (b.name !== "parley_user" || (a as typeof b).userId === b.userId))
