import type { UsageReport } from "@parley/client"
import { daysOf } from "../../../api/usage.ts"

/** The cost of a day, by model. */
export interface DayOfUsage {
  readonly day: string
  /** The credits by the id of the model. */
  readonly credits: Readonly<Record<string, number>>
}

export interface CreditsByDay {
  /** The ids of the models, the one with the highest cost first. */
  readonly models: ReadonlyArray<string>
  /** All days of the report, including those without usage. */
  readonly days: ReadonlyArray<DayOfUsage>
}

const add = (sums: Map<string, number>, key: string, credits: number): void =>
  void sums.set(key, (sums.get(key) ?? 0) + credits)

/** Sums the usage by day and model, over all spenders. */
export const creditsByDay = (usage: UsageReport): CreditsByDay => {
  const byModel = new Map<string, number>()
  const byDay = new Map<string, Map<string, number>>()
  for (const { day, model, credits } of usage.usage) {
    add(byModel, model, credits)
    const sums = byDay.get(day) ?? new Map<string, number>()
    byDay.set(day, sums)
    add(sums, model, credits)
  }
  return {
    models: [...byModel].toSorted(([, one], [, other]) => other - one).map(([model]) => model),
    days: daysOf(usage).map((day) => ({ day, credits: Object.fromEntries(byDay.get(day) ?? []) }))
  }
}
