import type { ServiceKey } from "@parley/core"
import { Console } from "effect"
import { Argument } from "effect/cli"

const iso = (moment: number | undefined) => (moment === undefined ? null : new Date(moment).toISOString())

type Times = "createdAt" | "expiresAt" | "revokedAt" | "previousUntil" | "lastUsedAt"
type KeyRow = Omit<ServiceKey, Times> & { readonly [Time in Times]: string | null }

/** A service key in the form of `--json`. */
export const keyRow = ({
  createdAt,
  expiresAt,
  id,
  lastUsedAt,
  name,
  previousUntil,
  revokedAt,
  scopes,
  state
}: ServiceKey): KeyRow => ({
  id,
  name,
  scopes,
  state,
  createdAt: iso(createdAt),
  expiresAt: iso(expiresAt),
  revokedAt: iso(revokedAt),
  previousUntil: iso(previousUntil),
  lastUsedAt: iso(lastUsedAt)
})

/** Informs the operator on stderr that the key on stdout cannot be printed again. */
export const shownOnce = Console.error("Store the key now: Parley keeps only its digest and cannot print it again.")

/** The argument with the id of a service key. */
export const keyArgument = Argument.String("id").pipe(
  Argument.withDescription("The key's id, as `parley keys list` prints it")
)
