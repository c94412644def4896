import { openParley } from "./openParley.ts"

await openParley({ work: true })
process.send?.("works")
process.once("disconnect", () => process.exit())
