import { passageIndexModel } from "./passageIndexModel.ts"

passageIndexModel(20)
