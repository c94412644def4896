import { erasedContests } from "./erasedContests.ts"

erasedContests(false)
