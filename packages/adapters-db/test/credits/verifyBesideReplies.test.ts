import { verifyBesideReplies } from "./verifyBesideReplies.ts"

verifyBesideReplies(8, 60)
