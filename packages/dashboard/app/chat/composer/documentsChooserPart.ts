import { lazyPart } from "../../parts/lazyPart.ts"

/** The dialog for choosing documents, whose code is loaded when it first opens. */
export const DocumentsChooser = lazyPart(async () => (await import("./DocumentsChooser.tsx")).DocumentsChooser)
