import { comparedHistoriesTest } from "./comparedHistories.ts"

comparedHistoriesTest({ clean: 20, tampered: 10, each: 12 })
