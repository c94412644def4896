import { passageIndexModel } from "./passageIndexModel.ts"

passageIndexModel(8)
