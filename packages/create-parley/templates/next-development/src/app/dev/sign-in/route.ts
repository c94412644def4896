import { handle } from "../../../handler.ts"

export { handle as POST }
