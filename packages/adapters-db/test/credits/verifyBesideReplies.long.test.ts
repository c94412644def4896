import { verifyBesideReplies } from "./verifyBesideReplies.ts"

verifyBesideReplies(200, 2_000)
