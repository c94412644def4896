import { handle } from "../../../handler.ts"

/**
 * True if the browser is on this machine. Next.js puts the browser's address into these headers, unless a proxy in
 * front has set them already.
 */
const isFromHere = ({ headers }: Request): boolean =>
  headers.get("x-forwarded-host") === headers.get("host") &&
  /^(?:::1|(?:::ffff:)?127\.\d+\.\d+\.\d+)$/.test(headers.get("x-forwarded-for") ?? "")

/**
 * Parley refuses the development sign-in through proxies. Next.js adds headers that look like a proxy's, so they are
 * removed for browsers on this machine.
 */
export const POST = (request: Request): Promise<Response> => {
  if (!isFromHere(request)) return handle(request)
  const headers = new Headers([...request.headers].filter(([name]) => !name.startsWith("x-forwarded-")))
  const { body, method, url } = request
  // Next.js passes a `Proxy` object of the request. Some versions of Node refuse to copy that object, so its parts are
  // copied.
  const init: RequestInit & { readonly duplex: "half" } = { method, headers, body, duplex: "half" }
  return handle(new Request(url, init), { httpVersion: "1.1" })
}
