import { handle } from "../../../handler.ts"

const answer = (request: Request): Promise<Response> => handle(request)
export { answer as DELETE, answer as GET, answer as PATCH, answer as POST, answer as PUT }
