import { opened } from "./parley.ts"

const answer = async (request: Request): Promise<Response> => (await opened()).handler(request)
export { answer as DELETE, answer as GET, answer as PATCH, answer as POST, answer as PUT }
