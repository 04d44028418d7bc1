export type Data = Record<string, unknown>
