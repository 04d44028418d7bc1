/** Parsed JSON, by attribute name. */
export type Data = Readonly<Record<string, unknown>>
