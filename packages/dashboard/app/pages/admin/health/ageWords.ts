import type { AdminMessages } from "../useAdminMessages.ts"

const STEPS = [
  ["day", 86_400],
  ["hour", 3_600],
  ["minute", 60]
] as const

/** A time span in the largest unit in which its number is at least 2: `90 seconds`, `3 minutes`. */
export const ageWords = ({ number }: Pick<AdminMessages, "number">, seconds: number): string => {
  const [unit, length] = STEPS.find(([, each]) => seconds >= 2 * each) ?? (["second", 1] as const)
  return number(Math.floor(seconds / length), { style: "unit", unit, unitDisplay: "long" })
}
