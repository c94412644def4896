import { comparedHistoriesTest } from "./comparedHistories.ts"

comparedHistoriesTest({ clean: 300, tampered: 60, each: 50 })
