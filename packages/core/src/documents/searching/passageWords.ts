import type { Passage } from "../Document.ts"
import { searchableText } from "./searchableText.ts"

/**
 * The words a passage is found by: its own, and once more those of the headings it stands under or has. A heading says in few
 * words what all under it is about, and most passages do not repeat it.
 */
export const passageWords = ({ headings = [], text }: Pick<Passage, "headings" | "text">): string =>
  [...headings.map(({ title }) => title), text]
    .map(searchableText)
    .filter((words) => words !== "")
    .join(" ")
