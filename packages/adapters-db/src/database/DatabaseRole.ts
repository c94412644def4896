import { setForTransaction } from "./sessionSettings.ts"

/** The role of a statement. `owner` is the login itself, for migrations and the job queue's own schema. */
export type DatabaseRole =
  | { readonly name: "parley_user"; readonly userId: string }
  | { readonly name: "parley_service" }
  | { readonly name: "owner" }

/**
 * Enters a role, which only this and the functions that store a turn (`0004_turns.sql`) do: the script that changes a
 * transaction `from` one role `to` another. It begins the transaction with `begins` if it has no role yet.
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
