import { queryOptions } from "@tanstack/react-query"
import { read } from "./request.ts"
import type { Tier } from "./session.ts"

export interface OfferedModel {
  readonly id: string
  readonly name: string
  readonly creditsPer1kInput: number
  readonly creditsPer1kOutput: number
  readonly minimumCredits: number
  /** The person's plan includes it. */
  readonly allowed: boolean
  readonly allowedTiers: ReadonlyArray<Tier>
  /** It is set up on this server. */
  readonly available: boolean
  /** The model that answers in its place, if it is another one. */
  readonly answeredBy: string | null
}

/** The models, the default first. */
export const modelsQuery = queryOptions({
  queryKey: ["models"],
  queryFn: async ({ signal }) =>
    (await read<{ readonly models: ReadonlyArray<OfferedModel> }>("/api/models", signal)).models,
  staleTime: 60_000
})
