import type { PersonAction } from "../../../api/admin.ts"

/** The actions of an operator on a person. */
export type ActionKind = "tier" | "grant" | "adjust" | "unpin" | "signOut" | "block" | "unblock"

/** The fields of the form of an action. */
export interface ActionFields {
  readonly reason: string
  /** The amount in whole credits; undefined if the field is empty. */
  readonly amount: number | undefined
  readonly tier: string
  readonly isPinned: boolean
  /** The key of the business event: the same key moves credits only once. */
  readonly key: string
}

/** True if the form contains everything that the action needs. */
export const isComplete = (kind: ActionKind, { amount, reason, tier }: ActionFields): boolean => {
  if (reason.trim() === "") return false
  if (kind === "tier") return tier !== ""
  if (kind === "grant") return amount !== undefined && Number.isInteger(amount) && amount > 0
  if (kind === "adjust") return amount !== undefined && Number.isInteger(amount) && amount !== 0
  return true
}

/** The operation that an action calls, with the values of the form. */
export const actionOf = (kind: ActionKind, fields: ActionFields): PersonAction => {
  const { amount = 0, isPinned: pin, key, tier } = fields
  const reason = fields.reason.trim()
  switch (kind) {
    case "tier":
      return { id: "setTierOfPerson", body: { tier, pin, reason } }
    case "grant":
      return { id: "grantCreditsToPerson", body: { amount, key, reason } }
    case "adjust":
      return { id: "adjustCredits", body: { amount, key, reason } }
    case "signOut":
      return { id: "signOutPerson", body: { reason } }
    case "unpin":
      return { id: "unpinTier", body: { reason } }
    case "block":
      return { id: "blockPerson", body: { reason } }
    case "unblock":
      return { id: "unblockPerson", body: { reason } }
  }
}
