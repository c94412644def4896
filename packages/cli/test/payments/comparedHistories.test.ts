import { comparedHistoriesTest } from "./comparedHistories.ts"

comparedHistoriesTest({ clean: 12, tampered: 6, each: 12 })
