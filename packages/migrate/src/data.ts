/** A JSON object. */
export type Data = Record<string, unknown>
