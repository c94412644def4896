import { comparedHistoriesTest } from "./comparedHistories.ts"

comparedHistoriesTest({ clean: 6, tampered: 3, each: 6 })
