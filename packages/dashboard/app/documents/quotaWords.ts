import type { Messages } from "../messages/MessagesProvider.tsx"

const STEP = 1_024
/** The least size that is shown in the unit of the larger one, such as 0.05 MB; a smaller size has a smaller unit. */
const LEAST = 0.05

/** Two sizes in the unit of the larger one: `3 of 20 MB`. A very small part uses a smaller unit. */
export const sizeOfTotal = (
  used: number,
  total: number,
  { t, size, number }: Pick<Messages, "t" | "size" | "number">
) => {
  const step = total < STEP ? 0 : Math.min(3, Math.floor(Math.log(total) / Math.log(STEP)))
  const part = used / STEP ** step
  const told =
    used > 0 && part < LEAST ? size(used) : number(part, { maximumFractionDigits: part < 10 && step > 0 ? 1 : 0 })
  return t("documents.quota.of", { used: told, total: size(total) })
}
