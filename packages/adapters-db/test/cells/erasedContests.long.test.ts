import { erasedContests } from "./erasedContests.ts"

erasedContests(true)
