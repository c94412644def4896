import { verifyBesideReplies } from "./verifyBesideReplies.ts"

verifyBesideReplies(15, 100)
