/** Stands for your own sign-in, which knows from a request who sends it: undefined where nobody is signed in. */
export const personOf = (request: Request): { readonly userId: string } | undefined =>
  request.headers.get("cookie") === "session=anns" ? { userId: "ann" } : undefined
