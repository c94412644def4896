import { handle } from "../../../handler.ts"

/** True if the browser is on this machine. Next.js names it in these headers, unless a proxy in front did so before. */
const isFromHere = ({ headers }: Request): boolean =>
  headers.get("x-forwarded-host") === headers.get("host") &&
  /^(?:::1|(?:::ffff:)?127\.\d+\.\d+\.\d+)$/.test(headers.get("x-forwarded-for") ?? "")

/** Parley refuses this sign-in through proxies, and takes the headers that Next.js adds for those of one. */
export const POST = (request: Request): Promise<Response> => {
  if (!isFromHere(request)) return handle(request)
  const headers = new Headers([...request.headers].filter(([name]) => !name.startsWith("x-forwarded-")))
  const { body, method, url } = request
  // A copy made of the request itself is refused by some versions of Node: Next.js passes a proxy of it.
  const init: RequestInit & { readonly duplex: "half" } = { method, headers, body, duplex: "half" }
  return handle(new Request(url, init), { httpVersion: "1.1" })
}
