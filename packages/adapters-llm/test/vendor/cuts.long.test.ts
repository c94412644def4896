import { cuts } from "./cuts.ts"

cuts(1)
