const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

/** Whether a text is a UUID in the text form of RFC 9562, any version and either case. */
export const isUuid = (text: string): boolean => UUID.test(text)
