import { lazyPart } from "../../parts/lazyPart.ts"

/** Loaded when it is first opened. */
export const DocumentsChooser = lazyPart(async () => (await import("./DocumentsChooser.tsx")).DocumentsChooser)
