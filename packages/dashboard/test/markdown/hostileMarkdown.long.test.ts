import { makesNothingForeign } from "./makesNothingForeign.ts"

makesNothingForeign(90)
