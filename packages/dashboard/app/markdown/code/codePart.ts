import { makePart } from "../../parts/part.ts"

/** The module that colours code. */
export const colours = makePart(() => import("./colourCode.tsx"))
