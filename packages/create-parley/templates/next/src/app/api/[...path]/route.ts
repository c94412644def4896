import { handle } from "../../../handler.ts"

export { handle as DELETE, handle as GET, handle as PATCH, handle as POST, handle as PUT }
