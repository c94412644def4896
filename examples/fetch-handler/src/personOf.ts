/** Replace this by your own sign-in: it returns the person of a request, or undefined without a session. */
export const personOf = (request: Request): { readonly userId: string } | undefined =>
  request.headers.get("cookie") === "session=anns" ? { userId: "ann" } : undefined
